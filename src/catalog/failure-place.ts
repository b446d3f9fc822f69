// Where a rejection of the engine is in a saved query: at the position in the message, at the name that it quotes, or at the part of the
// query without which the engine does not reject it.
import { EngineError } from '../engine/engine.ts';
import { engineSentence } from '../engine/engine-sentence.ts';
import { enginePosition, quotedNames } from '../sandbox/engine-message.ts';
import { findInQuery } from '../sandbox/find-in-query.ts';
import { createCursor, type Cursor } from '../sql/cursor.ts';
import type { BoundQuery } from '../sql/placeholders.ts';
import type { Node, Tree } from '../sql/tree/nodes.ts';
import { rejectionOf, type DescribeSql, type QueryAnalysis } from './analyse-query.ts';
import { wholeTree } from '../sql/tree/parse.ts';
import { isTooCostly } from './not-analysed.ts';
import { locateFailure, type AskWith } from './locate-failure.ts';
import type { SampleValues } from './samples.ts';

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
  readonly bound: BoundQuery;
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
  const { bound, part } = query;
  const { message } = failure;
  const position = enginePosition(message, `${WRAPPER}${part.sql}\n)`);
  if (position !== undefined) {
    const offset = Math.min(bound.sql.length, Math.max(0, position - WRAPPER.length) + part.shift);
    return joinWithoutCondition(bound, offset) ?? offset;
  }
  const named = placesOfNames(query, message);
  const isName = NAMED.has(failure.engineCode) && named.length > 0;
  if (kind === 'value_needed' || (isName && named.length === 1))
    return named[0] ?? partOffset(query, message);
  const keyword = keywordPlace(query, message);
  if (keyword !== undefined) return keyword;
  const tree = wholeTree(createCursor(bound.sql, bound.tokens));
  const union = tree && /UNION|INTERSECT|EXCEPT/.test(message) ? unequalMember(tree, part) : undefined;
  if (union !== undefined) return union;
  const found = tree && (await locateFailure(tree, part, askWith(describe, query, failure)));
  if (found === undefined) return named[0] ?? partOffset(query, message);
  const inside = isName ? named.find((at) => at >= found.start && at < found.end) : undefined;
  return inside ?? found.start;
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

/** Where the first name of the message that the part has occurs in it. */
function placesOfNames({ bound, part }: FailedQuery, message: string): readonly number[] {
  const text = bound.sql.slice(part.start, part.end);
  for (const name of namesIn(message)) {
    const places: number[] = [];
    let from = 0;
    for (
      let found = findInQuery(createCursor(text), name);
      found !== undefined && places.length < MAX_PLACES;
      found = findInQuery(createCursor(text.slice(from)), name)
    ) {
      places.push(part.start + from + found.start);
      from += found.start + Math.max(1, found.source.length);
    }
    if (places.length > 0) return places;
  }
  return [];
}

function partOffset({ bound, part }: FailedQuery, message: string): number {
  return part.start + combinatorStart(createCursor(bound.sql.slice(part.start, part.end)), message);
}

/** A message that matches an expression is about the keyword beside it. */
const KEYWORDS: readonly (readonly [message: RegExp, keyword: string])[] = [
  [/support FINAL/i, 'FINAL'],
  [/support sampling/i, 'SAMPLE'],
  [/support PREWHERE/i, 'PREWHERE'],
  [/alongside LIMIT BY/i, 'LIMIT'],
];

function keywordPlace({ bound, part }: FailedQuery, message: string): number | undefined {
  const keyword = KEYWORDS.find(([pattern]) => pattern.test(message))?.[1];
  if (keyword === undefined) return undefined;
  const query = createCursor(bound.sql, bound.tokens);
  const at = query.tokens.findIndex(({ start }, index) => start >= part.start && start < part.end && query.word(index) === keyword); // prettier-ignore
  return at < 0 ? undefined : query.start(at);
}

/** The first member of a UNION in the part that has another number of columns than the first one. */
function unequalMember({ cursor, root }: Tree, { start, end }: Part): number | undefined {
  const unions = (node: Node): readonly Node[] => [
    ...(node.kind === 'union' ? [node] : []),
    ...node.parts.flatMap(unions),
  ];
  for (const { parts } of unions(root)) {
    const counts = parts.map((member) => member.parts.find(({ kind }) => kind === 'list')?.parts.length);
    const other = parts[counts.findIndex((count) => count !== counts[0])];
    const at = other === undefined ? -1 : cursor.start(other.from);
    if (at >= start && at < end) return at;
  }
  return undefined;
}

/** Where a JOIN begins whose condition is missing at the offset of a syntax error; undefined for any other. */
function joinWithoutCondition({ sql, tokens }: BoundQuery, offset: number): number | undefined {
  const query = createCursor(sql, tokens);
  const found = query.tokens.findIndex(({ start }) => start >= offset);
  const next = found < 0 ? query.length : found;
  if (next < query.length && !/^(?:WHERE|GROUP|ORDER|LIMIT|HAVING|PREWHERE|UNION|SETTINGS|JOIN|LEFT|INNER|RIGHT|FULL)$/.test(query.word(next) ?? ')')) return undefined; // prettier-ignore
  let at = next - 1;
  if (query.name(at) !== undefined && query.word(at - 1) === 'AS') at -= 2;
  else if (query.name(at) !== undefined && (query.name(at - 1) !== undefined || query.kind(at - 1) === ')') && query.word(at - 1) !== 'JOIN') at -= 1; // prettier-ignore
  if (query.kind(at) === ')') at = opening(query, at);
  else while (query.kind(at - 1) === '.') at -= 2;
  if (query.word(at - 1) !== 'JOIN') return undefined;
  let start = at - 1;
  while (KINDS.has(query.word(start - 1) ?? '')) start--;
  const isFree = ['CROSS', 'PASTE', 'NATURAL', 'ARRAY'].some((each) => query.slice(start, at).toUpperCase().includes(each));
  return isFree ? undefined : query.start(start);
} // prettier-ignore

const KINDS: ReadonlySet<string> = new Set(
  'GLOBAL LOCAL ANY ALL ASOF SEMI ANTI INNER LEFT RIGHT FULL OUTER CROSS PASTE NATURAL ARRAY'.split(' '),
);

function opening(query: Cursor, closing: number): number {
  for (let at = closing - 1; at >= 0; at--) if (query.closing(at) === closing) return at;
  return closing;
}

/** Where the function with the combinator of the message begins, `sumMerge` for Merge: the first one, otherwise 0. */
function combinatorStart(query: Cursor, message: string): number {
  const suffix = /aggregate function with (\w+) suffix/.exec(message)?.[1];
  if (suffix === undefined) return 0;
  const isCall = (index: number): boolean =>
    query.kind(index + 1) === '(' && (query.name(index) ?? '').endsWith(suffix);
  const index = query.tokens.findIndex((_, each) => isCall(each));
  return index < 0 ? 0 : query.start(index);
}

/** Names in a message, each also without its database and table. */
function namesIn(message: string): readonly string[] {
  const type = /data type family: (\w+)/.exec(message)?.[1];
  const names = type === undefined ? quotedNames(message) : [type];
  return names.flatMap((name) => {
    const parts = name.split('.');
    return parts.map((_, index) => parts.slice(index).join('.'));
  });
}
