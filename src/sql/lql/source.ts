// Reads LQL source: bare runs, quotes and patterns at an offset, and collects findings.
import type { TextSpan } from '../base/finding.ts';
import { findingAt, type Fault, type LqlFinding } from './finding.ts';

/** The result of a reader: the end offset, and the clause or value unless a finding was reported. */
export interface ReadUpTo<T> {
  readonly end: number;
  readonly value?: T;
}

/** A query being parsed. Offsets are UTF-16 code units. */
export interface LqlText {
  readonly text: string;
  readonly findings: readonly LqlFinding[];
  /** Matches a sticky pattern at exactly this offset. */
  readonly match: (pattern: RegExp, at: number) => RegExpExecArray | undefined;
  /** The end of the bare run at this offset: anything but whitespace and double quotes without a backslash; `at` if there is none. */
  readonly bareEnd: (at: number) => number;
  /** The text of a bare run, in which `\"` is a double quote; other backslashes stay. */
  readonly bare: (start: number, end: number) => string;
  /** The double-quoted string that opens here; reports an unclosed one. */
  readonly quoted: (at: number) => ReadUpTo<string>;
  /** Reports a fault and returns where to resume: at the next whitespace outside quotes. */
  readonly fail: (span: TextSpan, fault: Fault) => ReadUpTo<never>;
  /** Reports a fault after which the clause can still be parsed. */
  readonly report: (span: TextSpan, fault: Fault) => void;
}

/** Whitespace that separates clauses. Other whitespace ends a bare run but is not a separator. */
export const SPACES = /[ \t\r\n]*/y;
/**
 * Characters that end a bare run: whitespace, control characters, and characters that cannot be seen, with which a bare run would
 * be misread. Joiners are part of words and emoji.
 */
export const HIDDEN = String.raw`\s\0-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb`;

const BARE = new RegExp(`(?:\\\\"|[^${HIDDEN}"])*`, 'y');
const WHITE = new RegExp(`[${HIDDEN}]`);

/** Returns whether the character ends a bare run. */
export function isWhite(char: string): boolean {
  return WHITE.test(char);
}

/** A reader over a query, without findings. */
export function createSource(text: string): LqlText {
  const findings: LqlFinding[] = [];
  const match = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at;
    return pattern.exec(text) ?? undefined;
  };
  const report = (span: TextSpan, fault: Fault) => void findings.push(findingAt(span, fault));
  const fail = (span: TextSpan, fault: Fault) => {
    report(span, fault);
    return { end: recovery(text, span.start) };
  };
  return {
    text,
    findings,
    match,
    bare: (start, end) => text.slice(start, end).replaceAll('\\"', '"'),
    bareEnd: (at) => at + (match(BARE, at)?.[0].length ?? 0),
    quoted(at) {
      const close = closingQuote(text, at);
      if (close === undefined) return fail({ start: at, end: text.length }, QUOTE_UNCLOSED);
      return { end: close + 1, value: text.slice(at + 1, close).replace(/\\(["\\])/g, '$1') };
    },
    fail,
    report,
  };
}

const QUOTE_UNCLOSED: Fault = {
  code: 'lql.quote_unclosed',
  message: 'unclosed double quote',
  hint: 'close it with ", and write \\" for a double quote in it',
};

function closingQuote(text: string, open: number): number | undefined {
  for (let i = open + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return undefined;
}

function recovery(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (isWhite(text.charAt(i))) return i;
    if (text[i] === '\\' && text[i + 1] === '"') i++;
    else if (text[i] === '"') i = closingQuote(text, i) ?? text.length;
  }
  return text.length;
}
