// Splits the part of a CREATE statement after its name into clauses.
import type { Cursor } from '../sql/cursor.ts';

/** A clause by token indexes; `from` is after its keywords, `to` exclusive. */
export interface Clause {
  readonly kind: ClauseKind;
  readonly from: number;
  readonly to: number;
}

export type ClauseKind =
  | 'columns'
  | 'engine'
  | 'partition'
  | 'primary'
  | 'order'
  | 'sample'
  | 'ttl'
  | 'settings'
  | 'comment'
  | 'query'
  | 'like'
  | 'to'
  | 'refresh'
  | 'ignored'
  | 'source'
  | 'layout'
  | 'lifetime'
  | 'range';

/** A clause that begins at a token: its kind, and the number of keywords. */
type Start = readonly [kind: ClauseKind, keywords: number];

const BY: Readonly<Record<string, ClauseKind>> = { PARTITION: 'partition', ORDER: 'order', SAMPLE: 'sample' };
const GROUPS: Readonly<Record<string, ClauseKind>> = {
  SOURCE: 'source',
  LAYOUT: 'layout',
  LIFETIME: 'lifetime',
  RANGE: 'range',
};

/** The clauses from a token to the end, in order. Not verified: that they are complete, or may follow each other. */
export function readClauses(cursor: Cursor, from: number): readonly Clause[] {
  const clauses: Clause[] = [];
  let open: { kind: ClauseKind; from: number } | undefined;
  const close = (to: number): void => {
    if (open !== undefined) clauses.push({ ...open, to });
    open = undefined;
  };
  for (let at = from; at < cursor.length;) {
    // The first token of a clause belongs to it, even if it is the name of another clause.
    const isFirst = open !== undefined && open.kind !== 'ignored' && at === open.from;
    const start = !isFirst ? startAt(cursor, at, open?.kind) : undefined;
    if (start === undefined) {
      if (open === undefined) open = { kind: 'columns', from: at };
      at = cursor.after(at);
      continue;
    }
    close(at);
    const [kind, keywords] = start;
    open = { kind, from: at + keywords };
    at += keywords;
    if (kind === 'query') at = queryEnd(cursor, at);
  }
  close(cursor.length);
  return clauses;
}

/** Clauses without a list in parentheses: one that follows is that of the columns. */
const BEFORE_COLUMNS: ReadonlySet<ClauseKind | undefined> = new Set([undefined, 'ignored', 'to', 'refresh']);
const BEFORE_TARGET: ReadonlySet<ClauseKind | undefined> = new Set([
  undefined,
  'ignored',
  'refresh',
  'columns',
]);

function startAt(cursor: Cursor, at: number, open: ClauseKind | undefined): Start | undefined {
  const word = cursor.word(at);
  const next = cursor.word(at + 1);
  if (cursor.kind(at) === '(') return BEFORE_COLUMNS.has(open) ? ['columns', 0] : undefined;
  if (word === undefined || isOperand(cursor, at)) return undefined;
  if (Object.hasOwn(BY, word) && next === 'BY') return [BY[word] ?? 'ignored', 2];
  if (Object.hasOwn(GROUPS, word) && cursor.kind(at + 1) === '(') return [GROUPS[word] ?? 'ignored', 1];
  switch (word) {
    case 'ENGINE':
      return ['engine', cursor.kind(at + 1) === '=' ? 2 : 1];
    case 'PRIMARY':
      return next === 'KEY' ? ['primary', 2] : undefined;
    case 'COMMENT':
      return cursor.kind(at + 1) === 'string' ? ['comment', 1] : undefined;
    case 'EMPTY':
    case 'CLONE':
      return next === 'AS' ? afterAs(cursor, at, 2) : ['ignored', 1];
    case 'SQL':
      return next === 'SECURITY' ? ['ignored', 2] : undefined;
    case 'AS':
      return afterAs(cursor, at, 1);
    case 'TO':
      if (!BEFORE_TARGET.has(open)) return undefined;
      return next === 'INNER' ? ['ignored', 2] : ['to', 1];
    case 'TTL':
    case 'SETTINGS':
    case 'REFRESH':
      return [word.toLowerCase() as 'ttl' | 'settings' | 'refresh', 1]; // these three words
    case 'UUID':
    case 'POPULATE':
    case 'DEFINER':
    case 'FROM':
      return ['ignored', 1];
    default:
      return undefined;
  }
}

function afterAs(cursor: Cursor, at: number, keywords: number): Start {
  let first = at + keywords;
  while (cursor.kind(first) === '(') first++;
  const isQuery = /^(SELECT|WITH|FROM|VALUES)$/.test(cursor.word(first) ?? '');
  return [isQuery ? 'query' : 'like', keywords];
}

/** A query extends to the end, or to the comment of the view. */
function queryEnd(cursor: Cursor, from: number): number {
  const last = cursor.length - 2;
  const hasComment =
    last > from &&
    cursor.word(last) === 'COMMENT' &&
    cursor.kind(last + 1) === 'string' &&
    cursor.kind(last - 1) !== '.';
  return hasComment ? last : cursor.length;
}

/** Whether the token continues an expression, so that a word is a name, and a parenthesis its arguments. */
function isOperand(cursor: Cursor, at: number): boolean {
  const previous = cursor.kind(at - 1);
  return previous !== undefined && OPERATORS.has(previous);
}

const OPERATORS: ReadonlySet<string> = new Set([
  ',',
  '.',
  '+',
  '-',
  '*',
  '/',
  '%',
  '=',
  '->',
  '::',
  '<',
  '>',
  '<=',
  '>=',
  '!=',
]);
