// Splits LQL as written into its clauses with their locations, as the service parses it. Linear time, never throws.

import { PATH, readPath } from './lql-path.ts';

export type ClauseKind = 'from' | 'select' | 'chart' | 'time' | 'field' | 'message' | 'invalid';

/** A clause as written. `text.slice(start, end)` of the query is `text`. */
export interface LqlClause {
  readonly kind: ClauseKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isNegated: boolean;
  /** Of a field, a time or a selected column, with `metadata.` in full; '' for others. */
  readonly path: string;
  /** Such as `:` or `:>=`; '' for clauses without one. */
  readonly operator: string;
  readonly value: ClauseValue | undefined;
  /** Whether a chip can include, exclude or replace its value: a field that is equal to, or an element of an array. */
  readonly isEditable: boolean;
}

/** Quoted values and those in parentheses are always text. `text` is unescaped. */
export interface ClauseValue {
  readonly isQuoted: boolean;
  readonly text: string;
}

const SPACES = /[ \t\r\n]*/y;
/** Characters that end a bare run; the service has the same. */
export const HIDDEN = String.raw`\s\0-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb`;
const BARE = new RegExp(`(?:\\\\"|[^${HIDDEN}"])*`, 'y');
const WHITE = new RegExp(`[${HIDDEN}]`);
const SEEN = new RegExp(`^[^${HIDDEN}]`);
const FROM = /(?:from|f):/y;
const CHART = new RegExp(
  String.raw`(?:chart|c):\w+\((?:"[^"\\]*(?:\\[^][^"\\]*)*"|[^${HIDDEN}"()])*\)?`,
  'y',
);
const SELECT = new RegExp(String.raw`(?:select|s):(\*|${PATH})?(@\w*)?`, 'y');
const FIELD = new RegExp(`(${PATH})(:(?:>=|<=|>|<|~|@>~|@>)?)`, 'y');
const PARENTHESISED = /\(([^)]*)\)/y;

/** The clauses in order. Text that the service rejects is a clause of the kind `invalid`. */
export function clausesOf(lql: string): readonly LqlClause[] {
  const clauses: LqlClause[] = [];
  for (let at = 0; ;) {
    at += matchAt(SPACES, lql, at)?.[0].length ?? 0;
    if (at >= lql.length) return clauses;
    const clause = clauseAt(lql, at);
    clauses.push(clause);
    at = clause.end;
  }
}

/** Whether a clause appended to the text would be part of a string or parentheses that are not closed. */
export function isOpen(lql: string): boolean {
  const last = clausesOf(lql).at(-1);
  return last?.kind === 'invalid' && last.end === lql.length && !isClosed(last.text);
}

function isClosed(text: string): boolean {
  return !text.includes('"') && !text.includes('(');
}

interface Reading {
  readonly end: number;
  readonly kind: ClauseKind;
  readonly path?: string;
  readonly operator?: string;
  readonly value?: ClauseValue | undefined;
}

function clauseAt(lql: string, start: number): LqlClause {
  const isNegated = lql[start] === '-';
  const reading = readBody(lql, isNegated ? start + 1 : start);
  const next = lql.charAt(reading.end);
  const isComplete = reading.kind !== 'invalid' && (next === '' || /[ \t\r\n]/.test(next));
  const isFilter = reading.kind === 'field' || reading.kind === 'time' || reading.kind === 'message';
  const isValid = isComplete && (isFilter || !isNegated);
  const end = isComplete ? reading.end : recovery(lql, start);
  const { kind, path = '', operator = '', value }: Reading = isValid ? reading : { kind: 'invalid', end };
  return {
    kind,
    text: lql.slice(start, end),
    start,
    end,
    isNegated,
    path,
    operator,
    value,
    isEditable: kind === 'field' && (operator === ':' || operator === ':@>'),
  };
}

function readBody(lql: string, at: number): Reading {
  const from = matchAt(FROM, lql, at)?.[0].length;
  if (from !== undefined) {
    const name = matchAt(/[A-Za-z_]\w*/y, lql, at + from)?.[0];
    if (name === undefined) return { kind: 'invalid', end: at };
    return { kind: 'from', end: at + from + name.length, value: { isQuoted: false, text: name } };
  }
  const chart = matchAt(CHART, lql, at)?.[0];
  if (chart !== undefined) return { kind: chart.endsWith(')') ? 'chart' : 'invalid', end: at + chart.length };
  const select = matchAt(SELECT, lql, at);
  if (select !== null) return selectOf(select, at);
  return readFilter(lql, at);
}

function selectOf([text, target = '', alias]: RegExpExecArray, at: number): Reading {
  const isNamed = alias === undefined || (target !== '*' && /^@[A-Za-z_]/.test(alias));
  const isValid = target !== '' && isNamed;
  return { kind: isValid ? 'select' : 'invalid', end: at + text.length, path: readPath(target) };
}

function readFilter(lql: string, at: number): Reading {
  const [head = '', path = '', operator = ''] = matchAt(FIELD, lql, at) ?? [];
  if (head === '') return readMessage(lql, at);
  const start = at + head.length;
  const isTime = path === 't' || path === 'timestamp';
  const { end, value } = readValue(lql, start, isTime);
  const isMissing = end === start;
  return {
    kind: isMissing ? 'invalid' : isTime ? 'time' : 'field',
    path: isTime ? 'timestamp' : readPath(path),
    operator,
    value,
    end,
  };
}

function readMessage(lql: string, at: number): Reading {
  const start = lql[at] === '~' ? at + 1 : at;
  const { end, value } = readValue(lql, start, lql[start] !== '"');
  return { kind: end === start ? 'invalid' : 'message', operator: start > at ? '~' : '', value, end };
}

/** The value at `start`; `end` is `start` if there is none. */
function readValue(
  lql: string,
  start: number,
  isBare: boolean,
): { readonly end: number; readonly value?: ClauseValue } {
  if (lql[start] === '"' && !isBare) {
    const close = closingQuote(lql, start);
    if (close === undefined) return { end: start };
    const text = lql.slice(start + 1, close).replace(/\\(["\\])/g, '$1');
    return { end: close + 1, value: { isQuoted: true, text } };
  }
  const end = start + (matchAt(BARE, lql, start)?.[0].length ?? 0);
  const inside = isBare || lql[start] !== '(' ? null : matchAt(PARENTHESISED, lql, start);
  if (inside !== null && !SEEN.test(lql.slice(start + inside[0].length, start + inside[0].length + 1)))
    return { end: start + inside[0].length, value: { isQuoted: true, text: inside[1] ?? '' } };
  const isUnclosed = !isBare && lql[start] === '(' && inside === null;
  if (isUnclosed) return { end: start };
  return { end, value: { isQuoted: false, text: lql.slice(start, end).replaceAll('\\"', '"') } };
}

/** Where the service goes on after an error: the next whitespace outside quotes. */
function recovery(lql: string, from: number): number {
  const next = new RegExp(String.raw`\\"|"(?:[^"\\]|\\[^])*"?|[${HIDDEN}]`, 'g');
  const start = lql[from] === '"' ? from : from + 1;
  next.lastIndex = start;
  for (let match = next.exec(lql); match !== null; match = next.exec(lql)) {
    if (WHITE.test(match[0].charAt(0))) return match.index;
  }
  return lql.length;
}

function closingQuote(text: string, open: number): number | undefined {
  for (let i = open + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
