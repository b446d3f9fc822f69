// The arguments of macros, by the parentheses and commas between them.

export interface Argument {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const MAX_ARGUMENTS = 4_000;

/** The index after the parenthesis that closes the one at `open`. */
export function closing(text: string, open: number): number | undefined {
  let depth = 0;
  let quote: string | undefined;
  for (let at = open; at < Math.min(text.length, open + MAX_ARGUMENTS); at++) {
    const char = text[at];
    if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (char === "'" || char === '"' || char === '`') quote = char;
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return at + 1;
  }
  return undefined;
}

/** The arguments between the parentheses of a call. */
export function argumentsOf(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): readonly Argument[] {
  const args: { start: number; end: number; text: string }[] = [];
  let depth = 0;
  let quote: string | undefined;
  let from = start + 1;
  const add = (to: number): void => {
    const source = text.slice(from, to);
    const trimmed = source.trim();
    const at = from + source.indexOf(trimmed);
    if (trimmed !== '') args.push({ start: at, end: at + trimmed.length, text: trimmed });
    from = to + 1;
  };
  for (let at = start; at < end; at++) {
    const char = text[at];
    if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (char === "'" || char === '"' || char === '`') quote = char;
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) add(at);
    else if (char === ',' && depth === 1) add(at);
  }
  return args;
}
