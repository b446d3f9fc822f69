// Where a rejection of the engine is in a saved query: at the position in the message, at the name that it quotes, or at the part of the
// query without which the engine does not reject it.
import { EngineError } from '../../../service/engine/engine.ts';
import { engineSentence } from '../../../service/engine/engine-sentence.ts';
import { enginePosition, quotedNames } from '../../../guard/sandbox/engine-message.ts';
import { findInQuery } from '../../../guard/sandbox/find-in-query.ts';
import { SET_OPERATORS } from '../../../sql/clickhouse/tree/keywords.ts';
import type { Node, NodeKind, TokenRange, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { nodesOf, nameOf, partOf, spanOf, textOf } from '../../../sql/clickhouse/tree/visit.ts';
import { tokenAt, tokensOf } from '../../../sql/clickhouse/tree/tokens.ts';
import {
  rejectionOf,
  type DescribeSql,
  type QueryAnalysis,
} from '../../../service/endpoints/analyse-query.ts';
import { isTooCostly } from '../../../service/endpoints/not-analysed.ts';
import { locateFailure, type AskWith } from './locate-failure.ts';
import type { SampleValues } from '../../../service/endpoints/samples.ts';
import { unknownSubtype } from './subtype.ts';

/** A part of the bound query, as a separate statement. */
export interface Part {
  readonly sql: string;
  /** Offset of `sql` in the bound query, and the range that belongs to this part. */
  readonly shift: number;
  readonly start: number;
  readonly end: number;
  /** The table of the WITH clause; undefined: the whole query. */
  readonly table: string | undefined;
}

interface FailedQuery {
  /** It is that of the bound query. */
  readonly tree: Tree;
  readonly part: Part;
  readonly values: SampleValues;
}

type Failed = Exclude<QueryAnalysis, { readonly kind: 'described' }>;

/** The prefix that the engine's `describe` adds to a statement. */
const WRAPPER = 'DESCRIBE TABLE (\n';

/** The offset in the bound query. Asks the engine only if the message leaves it open. */
export async function placeOfFailure(
  describe: DescribeSql,
  query: FailedQuery,
  { kind, failure }: Failed,
): Promise<number> {
  const { tree, part } = query;
  const { message } = failure;
  const position = enginePosition(message, `${WRAPPER}${part.sql}\n)`);
  if (position !== undefined) {
    const offset = Math.min(tree.cursor.sql.length, Math.max(0, position - WRAPPER.length) + part.shift);
    return joinWithoutCondition(tree, offset) ?? offset;
  }
  const named = placesOfNames(query, message);
  const isName = NAMED.has(failure.engineCode) && named.length > 0;
  const clause = clausePlace(query, message);
  if (clause !== undefined) return clause;
  if (kind === 'value_needed' || (isName && named.length === 1))
    return named[0] ?? partOffset(query, message);
  const union = [...SET_OPERATORS].some((each) => message.includes(each))
    ? unequalMember(tree, part)
    : undefined;
  if (union !== undefined) return union;
  const isRead = tree.fault === undefined;
  const found = isRead ? await locateFailure(tree, part, askWith(describe, query, failure)) : undefined;
  if (found === undefined) return named[0] ?? partOffset(query, message);
  const inside = isName
    ? named.find((at) => at >= found.start && at < found.end)
    : unreadableText(tree, found, message);
  return inside ?? found.start;
}

/** The only string in a range that the engine quotes as one that it cannot read as a date, a UUID or a number. */
function unreadableText({ cursor }: Tree, range: TextRange, message: string): number | undefined {
  if (!/cannot parse|cannot read/i.test(message)) return undefined;
  const strings = [...cursor.sql.slice(range.start, range.end).matchAll(/'([^'\\]+)'/g)];
  const quoted = strings.filter(([, content = '']) => message.includes(content));
  return quoted.length === 1 && quoted[0] !== undefined ? range.start + quoted[0].index : undefined;
}

interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Codes of messages that quote the name which is wrong: unknown columns, tables, functions, types, values of Enums and dictionaries. */
const NAMED: ReadonlySet<number | undefined> = new Set([10, 36, 46, 47, 50, 60, 81, 207, 215, 691]);

function askWith(describe: DescribeSql, { part, values }: FailedQuery, failure: EngineError): AskWith {
  const sentence = engineSentence(failure.message);
  return async ({ start, end, text }) => {
    const sql = part.sql.slice(0, start - part.shift) + text + part.sql.slice(end - part.shift);
    const other = await describe(sql, values).then(() => undefined, rejectionOf).catch(costly);
    if (other === undefined) return 'accepted';
    return other.engineCode === failure.engineCode && engineSentence(other.message) === sentence ? 'same' : 'other';
  };
} // prettier-ignore

/** An answer that takes too much is another one. */
function costly(cause: unknown): EngineError {
  if (cause instanceof EngineError && isTooCostly(cause)) return cause;
  throw cause;
}

/** Occurrences of a name that are considered. */
const MAX_PLACES = 20;

/** Where the first name of the message that the part has occurs in it; that of a table is where tables are read. */
function placesOfNames({ tree, part }: FailedQuery, message: string): readonly number[] {
  const isTable = /table expression identifier|table \S+ does not exist/i.test(message);
  const tables = isTable
    ? nodesOf(tree.root, 'table').map((table) => [textOf(tree, table), spanOf(tree, table).start] as const)
    : [];
  const [first] = namesIn(message);
  const read = tables.filter(([name, start]) => name === first && start >= part.start && start < part.end);
  if (read.length > 0) return read.map(([, start]) => start);
  const text = tree.cursor.sql.slice(part.start, part.end);
  for (const name of namesIn(message)) {
    const places: number[] = [];
    let from = 0;
    for (
      let found = findInQuery(tokensOf(text), name);
      found !== undefined && places.length < MAX_PLACES;
      found = findInQuery(tokensOf(text.slice(from)), name)
    ) {
      places.push(part.start + from + found.start);
      from += found.start + Math.max(1, found.source.length);
    }
    if (places.length > 0) return places;
  }
  return [];
}

/** A message that matches an expression is about a clause. */
const CLAUSES: readonly (readonly [message: RegExp, kind: NodeKind])[] = [
  [/support FINAL/i, 'final'],
  [/support sampling/i, 'sample'],
  [/support PREWHERE/i, 'prewhere'],
  [/alongside LIMIT BY/i, 'limit'],
  [/^.*ASOF join requires/i, 'join'],
];

function clausePlace({ tree, part }: FailedQuery, message: string): number | undefined {
  const [using] = /(?<=using identifier ')[^']+(?=' cannot be resolved)/i.exec(message) ?? [];
  if (using !== undefined) return startIn(tree, part, namesOfUsing(tree, using));
  const [position] = /(?<=positional argument number )\d+/i.exec(message) ?? [];
  if (position !== undefined) return startIn(tree, part, positionsIn(tree, position));
  const kind = CLAUSES.find(([pattern]) => pattern.test(message))?.[1];
  return kind && startIn(tree, part, nodesOf(tree.root, kind));
}

function namesOfUsing(tree: Tree, column: string): readonly TokenRange[] {
  return nodesOf(tree.root, 'using').flatMap(({ from, to }) =>
    Array.from({ length: to - from }, (_, index) => ({ from: from + index, to: from + index + 1 })).filter(
      (token) => nameOf(tree, { at: token.from }) === column,
    ),
  );
}

/** Numbers that name a column of the result in GROUP BY, ORDER BY and LIMIT BY. */
function positionsIn(tree: Tree, number: string): readonly TokenRange[] {
  const kinds: readonly NodeKind[] = ['order-item', 'group-by', 'limit-by'];
  return kinds
    .flatMap((kind) => nodesOf(tree.root, kind))
    .flatMap(({ parts }) => parts.filter((each) => each.kind === 'number' && textOf(tree, each) === number));
}

/** The first member of a UNION in the part that has another number of columns than the first one. */
function unequalMember(tree: Tree, part: Part): number | undefined {
  const others = nodesOf(tree.root, 'union').flatMap(({ parts }) => {
    const counts = parts.map((member) => partOf(member, 'list')?.parts.length);
    return parts[counts.findIndex((count) => count !== counts[0])] ?? [];
  });
  return startIn(tree, part, others);
}

/** Where a JOIN begins whose condition is missing at the offset of a syntax error; undefined for any other. */
function joinWithoutCondition(tree: Tree, offset: number): number | undefined {
  const next = tokenAt(tree, offset);
  const join = nodesOf(tree.root, 'join').find(
    (each) => each.to === next && partOf(each, 'on') === undefined && partOf(each, 'using') === undefined,
  );
  const isFree = join && /\b(?:CROSS|PASTE|NATURAL)\b/i.test(textOf(tree, { from: join.from, to: join.at }));
  return join === undefined || isFree === true ? undefined : spanOf(tree, join).start;
}

/** Where the function with the combinator of the message begins, `sumMerge` for Merge: the first one of the part, otherwise its start. */
function partOffset({ tree, part }: FailedQuery, message: string): number {
  const suffix = /aggregate function with (\w+) suffix/.exec(message)?.[1];
  const isMeant = (call: Node): boolean => suffix !== undefined && nameOf(tree, call).endsWith(suffix);
  return startIn(tree, part, nodesOf(tree.root, 'call').filter(isMeant)) ?? part.start;
}

/** Where the first of some nodes that is in a part begins. */
function startIn(tree: Tree, { start, end }: Part, nodes: readonly TokenRange[]): number | undefined {
  return nodes.map((node) => spanOf(tree, node).start).find((at) => at >= start && at < end);
}

/** Names in a message, each also without its database and table. */
function namesIn(message: string): readonly string[] {
  const type = /data type family: (\w+)/.exec(message)?.[1] ?? unknownSubtype(message);
  const names = type === undefined ? quotedNames(message) : [type];
  return names.flatMap((name) => {
    const parts = name.split('.');
    return parts.map((_, index) => parts.slice(index).join('.'));
  });
}
