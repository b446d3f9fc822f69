// Reading an LQL text piece by piece: runs, quotes, patterns at a place, and the findings on the way.
import { findingAt, type Fault, type LqlFinding, type Span } from './finding.ts';

/** What a reader gives: where it stopped, and the clause or value unless a finding stands in its place. */
export interface Reading<T> {
  readonly end: number;
  readonly value?: T;
}

export interface Source {
  readonly text: string;
  readonly findings: readonly LqlFinding[];
  /** The match of a sticky pattern at exactly this place. */
  readonly match: (pattern: RegExp, at: number) => RegExpExecArray | undefined;
  /** The end of the bare run here: anything but white space and double quotes; `at` itself when there is none. */
  readonly bareEnd: (at: number) => number;
  /** Text in double quotes that opens here; reports an unclosed one. */
  readonly quoted: (at: number) => Reading<string>;
  /** Reports a fault and says where reading goes on: at the next white space, past quotes on the way. */
  readonly fail: (span: Span, fault: Fault) => Reading<never>;
  /** Reports a fault that does not keep the rest of the clause from being read. */
  readonly report: (span: Span, fault: Fault) => void;
}

/** Blanks that separate clauses. Other white space ends a bare run, but separates nothing. */
export const SPACES = /[ \t\r\n]*/y;
// U+200B is no white space to Unicode; it is as invisible, and a bare run that held it would be misread.
const BARE = /[^\s\u200b"]*/y;
const WHITE = /[\s\u200b]/;

export function isWhite(char: string): boolean {
  return WHITE.test(char);
}

export function createSource(text: string): Source {
  const findings: LqlFinding[] = [];
  const match = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at;
    return pattern.exec(text) ?? undefined;
  };
  const report = (span: Span, fault: Fault) => void findings.push(findingAt(span, fault));
  const fail = (span: Span, fault: Fault) => {
    report(span, fault);
    return { end: recovery(text, span.start) };
  };
  return {
    text,
    findings,
    match,
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
  message: 'this double quote is never closed',
  hint: 'end the text with ", and write \\" for a double quote in it',
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
    if (text[i] === '"') i = closingQuote(text, i) ?? text.length;
  }
  return text.length;
}
