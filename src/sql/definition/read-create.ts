// Reads a CREATE statement: its head, and the clauses after its name.
import type { Cursor } from '../clickhouse/cursor.ts';
import { stringValue } from '../clickhouse/literal.ts';
import { QUERY_STARTS } from '../clickhouse/tree/keywords.ts';
import type { TokenRange } from '../clickhouse/tree/nodes.ts';
import type { QualifiedName } from './qualified-name.ts';
import { readAttributes, readColumns, splitList } from './read-columns.ts';
import type {
  ClauseKind,
  ClauseString,
  CreatedKind,
  CreateRecord,
  DictionaryRecord,
  EngineArgument,
  EngineRecord,
  StatementRecord,
} from './record.ts';

/** ATTACH with columns is a CREATE. Names without a database are of `database`. */
export function readCreate(cursor: Cursor, database: string): StatementRecord {
  const head = readHead(cursor, database);
  if (head === undefined)
    return createsTable(cursor)
      ? { kind: 'unreadable', message: 'the name of what is created cannot be read' }
      : { kind: 'other object', what: objectKind(cursor) };
  const brackets = cursor.brackets();
  if ('code' in brackets)
    return { kind: 'unreadable', message: brackets.message, name: head.name, at: brackets.start };
  return { ...head, ...readRest(cursor, head.next, database) };
}

interface CreateHead extends Pick<
  CreateRecord,
  'kind' | 'what' | 'isReplace' | 'ifNotExists' | 'name' | 'writtenName' | 'isAttached'
> {
  /** Index of the token after the name. */
  readonly next: number;
}

const KINDS: readonly CreatedKind[] = [
  'TABLE',
  'VIEW',
  'MATERIALIZED VIEW',
  'LIVE VIEW',
  'WINDOW VIEW',
  'DICTIONARY',
  'DATABASE',
  'FUNCTION',
];

/** Undefined if it creates something else, or its name cannot be read. */
function readHead(cursor: Cursor, database: string): CreateHead | undefined {
  let at = 1;
  const take = (words: string): boolean => {
    const list = words.split(' ');
    if (!list.every((word, ahead) => cursor.word(at + ahead) === word)) return false;
    at += list.length;
    return true;
  };
  const isReplace = take('OR REPLACE');
  take('TEMPORARY');
  const what = KINDS.find(take);
  if (what === undefined) return undefined;
  const ifNotExists = take('IF NOT EXISTS');
  const read = readName(cursor, at, database);
  if (read === undefined) return undefined;
  return {
    kind: 'create',
    what,
    isReplace,
    ifNotExists,
    name: read.name,
    writtenName: cursor.text(read.next - 1),
    isAttached: cursor.word(0) === 'ATTACH' && read.next >= cursor.length,
    next: read.next,
  };
}

/** The name at a token, and the index after it; undefined if there is none, or one with a backslash. */
export function readName(
  cursor: Cursor,
  at: number,
  database: string,
): { readonly name: QualifiedName; readonly next: number } | undefined {
  const first = cursor.name(at);
  if (first === undefined || first === '') return undefined;
  if (cursor.kind(at + 1) !== '.') return { name: { database, name: first }, next: at + 1 };
  const second = cursor.name(at + 2);
  if (second === undefined || second === '') return undefined;
  return { name: { database: first, name: second }, next: at + 3 };
}

/** Returns whether the statement has the form of one that creates something with columns. */
function createsTable(cursor: Cursor): boolean {
  return [1, 2, 3].some((at) => /^(TABLE|VIEW|DICTIONARY|FUNCTION|DATABASE)$/.test(cursor.word(at) ?? ''));
}

/** The words after CREATE, up to a name: ROW POLICY, USER, NAMED COLLECTION. */
function objectKind(cursor: Cursor): string {
  const words = [1, 2, 3]
    .flatMap((at) => cursor.word(at) ?? [])
    .filter((word) => !/^(OR|REPLACE|IF|NOT|EXISTS)$/.test(word));
  const [first = '', second = ''] = words;
  return /^(ROW|SETTINGS|NAMED|MASKING|QUOTA|PROFILE)$/.test(first) &&
    /^(POLICY|PROFILE|COLLECTION)$/.test(second)
    ? `CREATE ${first} ${second}`
    : `CREATE ${first}`;
}

type CreateRest = Omit<CreateRecord, Exclude<keyof CreateHead, 'next'>>;

function readRest(cursor: Cursor, next: number, database: string): CreateRest {
  const all = readClauses(cursor, next);
  const filled = all.filter(({ from, to }) => to > from);
  const find = (kind: ClauseKind): Clause | undefined => filled.find((clause) => clause.kind === kind);
  const [list, engine, like, to] = (['columns', 'engine', 'like', 'to'] as const).map(find);
  const hasList = list !== undefined && cursor.kind(list.from) === '(';
  const columns = hasList ? readColumns(cursor, list.from) : undefined;
  const other = like === undefined ? undefined : readName(cursor, like.from, database);
  return {
    clauses: new Map(filled.toReversed().map(({ kind, from, to: end }) => [kind, cursor.slice(from, end)])),
    columns: columns?.columns.length === 0 ? undefined : columns,
    engine: engine && readEngine(cursor, engine),
    like: other === undefined || cursor.kind(other.next) === '(' ? undefined : other.name,
    to: to && readName(cursor, to.from, database)?.name,
    dictionary: {
      attributes: hasList ? readAttributes(cursor, list.from) : [],
      layout: readLayout(cursor, find('layout')?.from),
      clickhouse: readSource(cursor, find('source')),
    },
    lambda: cursor.word(next) === 'AS' ? cursor.slice(next - 1, cursor.length) : undefined,
    strings: all.flatMap((clause) => stringsIn(cursor, clause)),
  };
}

/** The engine between two tokens. */
export function readEngine(cursor: Cursor, { from, to }: TokenRange): EngineRecord {
  const open = from + 1;
  const items =
    cursor.kind(open) === '(' ? splitList(cursor, open + 1, Math.min(to, cursor.closing(open))) : [];
  return {
    name: cursor.text(from),
    sql: cursor.slice(from, items.length === 0 ? open : cursor.after(open)),
    arguments: items.map(([first, end]) => readArgument(cursor, first, end)),
  };
}

function readArgument(cursor: Cursor, from: number, to: number): EngineArgument {
  const isString = cursor.kind(from) === 'string';
  const name = isString ? stringValue(cursor.text(from)) : cursor.name(from);
  const isPattern = cursor.word(from) === 'REGEXP' && cursor.kind(from + 1) === '(';
  return {
    sql: cursor.slice(from, to),
    isString,
    name: to - from === 1 ? (name ?? '') : '',
    regexp: isPattern ? stringValue(cursor.text(from + 2)) : undefined,
  };
}

function readLayout(cursor: Cursor, from: number | undefined): DictionaryRecord['layout'] {
  if (from === undefined || cursor.kind(from) !== '(') return undefined;
  return { name: cursor.word(from + 1) ?? 'HASHED', sql: cursor.slice(from + 1, cursor.closing(from)) };
}

function readSource(cursor: Cursor, clause: Clause | undefined): DictionaryRecord['clickhouse'] {
  if (clause === undefined || cursor.word(clause.from + 1) !== 'CLICKHOUSE') return undefined;
  const values = new Map<string, string>();
  for (let at = clause.from + 3; at < cursor.closing(clause.from + 2); at++) {
    const key = cursor.word(at);
    const value = cursor.kind(at + 1) === 'string' ? stringValue(cursor.text(at + 1)) : cursor.name(at + 1);
    if (key === undefined || value === undefined) continue;
    values.set(key, value);
    at++;
  }
  return values;
}

function stringsIn(cursor: Cursor, { kind, from, to }: Clause): readonly ClauseString[] {
  const found: ClauseString[] = [];
  for (let at = from; at < to; at++)
    if (cursor.kind(at) === 'string')
      found.push({ clause: kind, start: cursor.start(at), end: cursor.end(at), after: cursor.word(at - 1) });
  return found;
}

/** A clause by token indexes; `from` is after its keywords, `to` exclusive. */
interface Clause {
  readonly kind: ClauseKind;
  readonly from: number;
  readonly to: number;
}

/** A clause that begins at a token: its kind, and the number of keywords. */
type Start = readonly [kind: ClauseKind, keywords: number];

const BY: Readonly<Record<string, ClauseKind>> = { PARTITION: 'partition', ORDER: 'order', SAMPLE: 'sample' };
const GROUPS: Readonly<Record<string, ClauseKind>> = {
  SOURCE: 'source',
  LAYOUT: 'layout',
  LIFETIME: 'lifetime',
  RANGE: 'range',
};

/** The clauses from a token to the end, in order. */
function readClauses(cursor: Cursor, from: number): readonly Clause[] {
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
  const word = cursor.word(first) ?? '';
  const isQuery = word === 'VALUES' || QUERY_STARTS.has(word);
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

/** Returns whether the token continues an expression, so that a word is a name, and a parenthesis its arguments. */
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
