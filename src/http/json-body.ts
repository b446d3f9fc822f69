// Parses JSON bodies of bounded depth.
import { Problem } from '../core/problem.ts';

/** Of bounded depth. Throws Problem `request.body_invalid`, also for halves of characters, which UTF-8 does not have. */
export function parseJson(text: string): unknown {
  const value = parse(text);
  if (SURROGATE.test(text) && hasHalfCharacter(value)) {
    const detail = 'The JSON body has a surrogate (\\ud800 to \\udfff) without the other one of its pair';
    throw new Problem('request.body_invalid', { detail });
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail = `The body is not valid JSON: ${cause instanceof Error ? cause.message : 'it cannot be parsed'}`;
    throw new Problem('request.body_invalid', { detail: detail.slice(0, 300), cause });
  }
}

const SURROGATE = /\\ud[89a-f]/i;
/** A surrogate that is not part of a pair. */
const HALF = /\p{Surrogate}/u;

function hasHalfCharacter(value: unknown): boolean {
  if (typeof value === 'string') return HALF.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, item]) => HALF.test(name) || hasHalfCharacter(item));
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
