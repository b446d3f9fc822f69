// Regular expressions as the engine's match() accepts them: RE2, which also runs in linear time here.
import { RE2JS, RE2JSException } from 're2js';

/** The program size that one call may have compiled here: that takes up to 150 ms. */
export const MAX_PROGRAM_SIZE = 10_000;
/** Of a class such as `\pL`: it becomes hundreds of ranges. */
const CLASS_SIZE = 200;
/** Without regard to case, re2js looks up other cases for each character of a class and of its ranges, which is a share of a step each. */
const [CASELESS_CLASS, CASELESS_RANGE, LARGEST_RANGE] = [20, 0.1, 125_000];
const MAX_COUNT = 1000;

/**
 * About how many steps the program of a regular expression has, which is how long compiling it takes: its characters, with what
 * is repeated as often as it is written out. Linear in the length of the expression, which may be invalid.
 */
export function programSize(source: string): number {
  /** Steps before each group that is open. */
  const outer: number[] = [];
  /** Steps of the group, and of what a repetition applies to. */
  let [sum, last] = [0, 0];
  /** What repetitions do not multiply. */
  let classes = 0;
  const isCaseless = /\(\?[a-zA-Z-]{0,9}i/.test(source);
  const add = (steps: number): void => {
    sum += steps;
    last = steps;
  };
  for (let at = 0, next = 0; at < source.length; at = next) {
    next = endOfPart(source, at);
    const part = source[at];
    const times = part === '{' ? timesOf(source.slice(at, next)) : 0;
    if (times > 0) {
      sum += last * (times - 1);
      last *= times;
    } else if (part === '(') {
      outer.push(sum + 1);
      sum = 0;
    } else if (part === ')') {
      const steps = sum;
      sum = outer.pop() ?? 0;
      add(steps + 1);
    } else {
      const text = source.slice(at, next);
      classes += CLASS_SIZE * (text.match(/\\[pP]/g)?.length ?? 0);
      if (part === '[') classes += isCaseless ? caselessSize(text) : text.length;
      add(part === '[' ? 1 : text.length);
    }
  }
  return outer.reduce((all, each) => all + each, sum + classes);
}

/** Of a class: of a range with an escape, at most. */
function caselessSize(text: string): number {
  let size = text.length * CASELESS_CLASS;
  const characters = Array.from(text);
  for (let at = 2; at < characters.length - 1; at++) {
    if (characters[at] !== '-') continue;
    const [low, high] = [characters[at - 1] ?? '', characters[at + 1] ?? ''];
    const isPlain =
      high !== '\\' && low !== '}' && characters[at - 2] !== '\\' && characters[at - 3] !== '\\';
    const width = (high.codePointAt(0) ?? 0) - (low.codePointAt(0) ?? 0);
    size += CASELESS_RANGE * (isPlain ? Math.min(Math.max(width, 0), LARGEST_RANGE) : LARGEST_RANGE);
  }
  return Math.ceil(size);
}

/** Counts such as `{3}`, `{3,}` and `{3,5}`, escapes, quoted texts and classes are one part, other characters are one each. */
function endOfPart(source: string, at: number): number {
  if (source[at] === '{')
    return COUNT.exec(source.slice(at, at + 22)) === null ? at + 1 : source.indexOf('}', at) + 1;
  if (source[at] === '\\') {
    if (source[at + 1] !== 'Q') return at + 2;
    const end = source.indexOf('\\E', at + 2);
    return end === -1 ? source.length : end + 2;
  }
  return source[at] === '[' ? endOfClass(source, at) : at + 1;
}

/** A `]` right after the beginning, in an escape or in a name such as `[:alpha:]` does not end a class. */
function endOfClass(source: string, start: number): number {
  let at = start + (source[start + 1] === '^' ? 2 : 1);
  if (source[at] === ']') at++;
  while (at < source.length && source[at] !== ']') {
    const name =
      source[at] === '[' ? /^\[:\^?[a-z]{1,10}:\]/.exec(source.slice(at, at + 16))?.[0] : undefined;
    at += name?.length ?? (source[at] === '\\' ? 2 : 1);
  }
  return at + 1;
}

const COUNT = /^\{(\d{1,9})(?:,(\d{0,9}))?\}/;

/** How often what is before a count is written out; 0 if it is no count. RE2 rejects higher ones. */
function timesOf(count: string): number {
  const [, low, high] = COUNT.exec(count) ?? [];
  if (low === undefined) return 0;
  // What is optional is a step more.
  const [least, most] = [Number(low), Number(high ?? 0)];
  return Math.max(1, least <= MAX_COUNT ? least : 1, most <= MAX_COUNT ? most * 2 : 1);
}

/**
 * Why RE2 rejects a regular expression; undefined if it is valid. Compiling takes 1 to 3 µs per step: check `programSize` of
 * caller input first.
 */
export function regexError(source: string): string | undefined {
  try {
    RE2JS.compile(source, RE2JS.DOTALL);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    // The library prefixes the quoted expression with the flag.
    return error.message.replace('error parsing regexp: ', '').replace('`(?s)', '`');
  }
}

/** Returns a test for strings that the expression matches entirely. Throws for an invalid expression. */
export function compileWholeMatch(source: string): (text: string) => boolean {
  const pattern = RE2JS.compile(source);
  return (text) => pattern.matches(text);
}
