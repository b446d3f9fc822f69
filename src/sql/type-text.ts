// Splits a ClickHouse type into its name and arguments: `Array(Nullable(String))` is `Array` with one argument.

export interface TypeText {
  readonly name: string;
  /** As written. */
  readonly arguments: readonly string[];
}

/** Splits one level; a string that is not a type is a name without arguments. */
export function readTypeText(text: string): TypeText {
  const [, name = text, inner = ''] = /^([A-Za-z0-9]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  return { name, arguments: splitArguments(inner) };
}

/** The members of a Tuple with named elements; undefined if they are unnamed. */
export function tupleMembers(
  parts: readonly string[],
): readonly { readonly name: string; readonly type: string }[] | undefined {
  const named = parts.map((part) => /^(?:`((?:[^`\\]|\\.)+)`|([A-Za-z_]\w*)) (?=\S)(.*)$/s.exec(part));
  if (named.length === 0 || named.includes(null)) return undefined;
  return named.map((each) => ({ name: each?.[1] ?? each?.[2] ?? '', type: each?.[3] ?? '' }));
}

/** The names of an Enum's values, from its arguments `'name' = 1`. */
export function enumNames(parts: readonly string[]): readonly string[] {
  return parts.map((part) => part.slice(1, part.lastIndexOf("'")));
}

/** Splits at top-level commas. */
function splitArguments(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const match of text.matchAll(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[(),]/gs)) {
    if (match[0] === '(') depth++;
    else if (match[0] === ')') depth--;
    else if (match[0] === ',' && depth === 0) {
      parts.push(text.slice(start, match.index).trim());
      start = match.index + 1;
    }
  }
  const last = text.slice(start).trim();
  return last === '' ? parts : [...parts, last];
}
