// Parses JSON bodies of bounded depth.
import { Problem } from '../../sql/base/problem.ts';

/** Throws Problem `request.body_invalid`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail = `The body is not valid JSON: ${cause instanceof Error ? cause.message : 'it cannot be parsed'}`;
    throw new Problem('request.body_invalid', { detail: detail.slice(0, 300), cause });
  }
}

/** Throws Problem `request.body_invalid` for JSON that is nested deeper than this. */
export function expectDepth(text: string, maxDepth: number): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    else if (character === '"') at = closingQuote(text, at);
    if (depth > maxDepth) throw tooDeep(maxDepth);
  }
}

export function tooDeep(maxDepth: number): Problem {
  return new Problem('request.body_invalid', {
    detail: `The JSON body is nested deeper than ${maxDepth} levels`,
  });
}

/** Index of the quote that closes the string opened at `start`, or the end of the text. */
export function closingQuote(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
