// Compiled globs over endpoint names.

/** Returns a predicate for names that match at least one glob; `*` matches any sequence of characters. */
export function compileGlobs(globs: readonly string[]): (name: string) => boolean {
  const exact = new Set(globs.filter((glob) => !glob.includes('*')));
  const patterns = globs
    .filter((glob) => glob.includes('*'))
    .map((glob) => glob.replace(/\*+/g, '*').split('*'));
  return (name) => exact.has(name) || patterns.some((parts) => matchesParts(name, parts));
}

/** Greedy from left to right. That is exact for globs whose only wildcard is `*`, and linear. */
function matchesParts(name: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop() ?? '';
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
