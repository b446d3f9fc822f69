// Which consumer queries a change of endpoint files breaks: those that read what it removes, renames or retypes, and those that the
// endpoint accepted before and rejects now.
import type { Engine } from '../../../service/engine/engine.ts';
import type { ChangedEndpoint, DescribedEndpoint, TableChange } from './changed-endpoint.ts';
import { readsOfNames, RESULT, type NamedReads, type ReadForeign } from './foreign-query.ts';
import { createReadOwn, type ReadOwn } from './own-query.ts';
import { affects, type PathChange } from './paths.ts';
import { rejected, type ConsumerText, type ReadResult, type Rejection } from './query.ts';
import type { PathRead } from './tree-reads.ts';

/** From worst to best. `affected`: it reads a column with a wider type. */
export const IMPACTS = ['breaks', 'unknown', 'affected', 'unaffected'] as const;
export type Impact = (typeof IMPACTS)[number];

/** Why a query is not unaffected. */
export interface ImpactReason {
  readonly kind: 'endpoint' | 'table' | PathChange['kind'] | 'rejected' | 'unreadable';
  readonly message: string;
  /** The table, undefined for an endpoint and its result; and the path in it. */
  readonly table: string | undefined;
  readonly path: string | undefined;
  /** A name in the query that the reason is about. */
  readonly name: string | undefined;
}

export interface QueryImpact {
  readonly query: ConsumerText;
  /** The endpoint that was changed, if the query is one of its. */
  readonly endpoint: ChangedEndpoint | undefined;
  readonly impact: Impact;
  readonly reasons: readonly ImpactReason[];
}

export interface ImpactDeps {
  readonly engine: Engine;
  readonly readForeign: ReadForeign;
  /** Returns whether an endpoint has that name or id; those that did not change are not given. */
  readonly isEndpoint: (name: string) => boolean;
}

/** Judges one query. Rejects with EngineError if the engine is unavailable. */
export type Judge = (query: ConsumerText) => Promise<QueryImpact>;

/** Creates the judge of a change; the readers of each endpoint are created on first use. */
export function createJudge(changed: readonly ChangedEndpoint[], deps: ImpactDeps): Judge {
  const readers = new Map<DescribedEndpoint, ReadOwn>();
  const ownReader = (described: DescribedEndpoint): ReadOwn => {
    const { endpoint, columns } = described;
    const known = readers.get(described) ?? createReadOwn(deps.engine, { endpoint, tables: columns.tables });
    readers.set(described, known);
    return known;
  };
  return async (query) => {
    const { endpoint: named } = query;
    const candidates = changed.filter(({ names }) => named === undefined || names.has(named));
    if (candidates.length === 0)
      return named === undefined || deps.isEndpoint(named)
        ? { query, endpoint: undefined, impact: 'unaffected', reasons: [] }
        : unknown(query, undefined, `there is no endpoint ${named} at the base`);
    const readForeign = once(() => deps.readForeign(query.text, query.dialect));
    const impacts: QueryImpact[] = [];
    for (const endpoint of candidates) {
      const found = await judge(query, endpoint, { ownReader, readForeign });
      if (found !== undefined) impacts.push(found);
    }
    // A variant of the query without a table that other variants have is not the one that the query is sent to.
    const read = new Set(
      impacts.filter(({ impact }) => impact !== 'unknown').map(({ endpoint }) => endpoint?.name),
    );
    const judged = impacts.filter(
      ({ impact, endpoint }) => impact !== 'unknown' || !read.has(endpoint?.name),
    );
    const [worst] = judged.toSorted((a, b) => IMPACTS.indexOf(a.impact) - IMPACTS.indexOf(b.impact));
    return worst ?? { query, endpoint: undefined, impact: 'unaffected', reasons: [] };
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function unknown(query: ConsumerText, endpoint: ChangedEndpoint | undefined, message: string): QueryImpact {
  return { query, endpoint, impact: 'unknown', reasons: [reason('unreadable', message)] };
}

function reason(
  kind: ImpactReason['kind'],
  message: string,
  about: Partial<Pick<ImpactReason, 'table' | 'path' | 'name'>> = {},
): ImpactReason {
  return { kind, message, table: undefined, path: undefined, name: undefined, ...about };
}

interface Readers {
  readonly ownReader: (described: DescribedEndpoint) => ReadOwn;
  readonly readForeign: () => Promise<NamedReads | string>;
}

/** Undefined if the query is not one of the endpoint's. */
async function judge(
  query: ConsumerText,
  endpoint: ChangedEndpoint,
  readers: Readers,
): Promise<QueryImpact | undefined> {
  const { before, after, name, obsolete } = endpoint;
  const isNamed = query.endpoint !== undefined;
  const result =
    before === undefined
      ? rejected(`the engine cannot describe the tables of ${name} at the base`)
      : await readAt(query, before, readers);
  if (result.kind === 'rejected') {
    if (isNamed && typeof after === 'string') return breaks(query, endpoint, [reason('endpoint', after)]);
    if (!isNamed && !isPossiblyOf(query, before, result)) return undefined;
    return unknown(
      query,
      endpoint,
      `it cannot be read at the base: ${result.message}${hintOf(query, result)}`,
    );
  }
  if (typeof after === 'string') return breaks(query, endpoint, [reason('endpoint', after)]);
  const reasons = result.reads.flatMap((read) => reasonsOf(read, endpoint.tables));
  if (isNamed && obsolete.has(query.endpoint ?? '')) reasons.unshift(renamed(query.endpoint ?? '', after));
  const isLost = reasons.some(({ kind }) => kind === 'table' || kind === 'removed' || kind === 'renamed');
  if (!isLost && result.reader === 'own') {
    const now = await readers.ownReader(after)(query);
    if (now.kind === 'rejected') reasons.unshift(reason('rejected', `it is rejected: ${now.message}`));
    else reasons.push(...movedTables(result.reads, now.reads));
  }
  const all = [...new Map(reasons.map((each) => [each.message, each])).values()];
  if (all.length === 0) return { query, endpoint, impact: 'unaffected', reasons: [] };
  if (all.every(({ kind }) => kind === 'widened'))
    return { query, endpoint, impact: 'affected', reasons: all };
  return breaks(query, endpoint, all);
}

function breaks(
  query: ConsumerText,
  endpoint: ChangedEndpoint,
  reasons: readonly ImpactReason[],
): QueryImpact {
  return { query, endpoint, impact: 'breaks', reasons };
}

/** Returns whether a query that cannot be read may be one of the endpoint's: it cannot be parsed, or has the name of a table. */
function isPossiblyOf(
  { language, text }: ConsumerText,
  before: DescribedEndpoint | undefined,
  { cause }: Rejection,
): boolean {
  if (cause === 'elsewhere') return false;
  if (cause === 'syntax' || language === 'lql' || before === undefined) return true;
  const lower = text.toLowerCase();
  return before.columns.tables.some(({ name }) => lower.includes(name.toLowerCase()));
}

function hintOf({ language, dialect }: ConsumerText, { cause }: Rejection): string {
  if (cause !== 'syntax' || language === 'lql' || dialect !== undefined) return '';
  return '; if it is SQL of another system, name its dialect';
}

type ConsumerRead = { readonly reader: 'own' | 'names' } & Extract<ReadResult<PathRead>, { kind: 'read' }>;

/** By the endpoint's own languages if it is written in one of them, otherwise by the names in it. */
async function readAt(
  query: ConsumerText,
  described: DescribedEndpoint,
  { ownReader, readForeign }: Readers,
): Promise<ConsumerRead | Rejection> {
  const { language, dialect } = query;
  const { endpoint, columns } = described;
  const isOwn = language === 'lql' || dialect === undefined || OWN_DIALECTS.has(dialect);
  const own = isOwn ? await ownReader(described)(query) : undefined;
  if (own?.kind === 'read') return { ...own, reader: 'own' };
  if (own !== undefined && !mayBeForeign(query, own)) return own;
  const names = await readForeign();
  if (typeof names === 'string') return own ?? rejected(names, 'syntax');
  const { enabled } = endpoint.sandbox;
  const result = { name: endpoint.name, table: RESULT, columns: columns.result };
  const tables = columns.tables.map((table) => ({ ...table, table: table.name }));
  const read = readsOfNames(
    names,
    enabled ? [...tables, result] : [result],
    !enabled && query.endpoint !== undefined,
  );
  if (read.kind === 'read') return { ...read, reader: 'names' };
  return own ?? read;
}

/** Returns whether a query that the endpoint rejects may be written for another system: it names no dialect, or one that others have, too. */
function mayBeForeign({ language, dialect }: ConsumerText, { cause }: Rejection): boolean {
  if (language === 'lql') return false;
  return dialect === 'bigquery' || (dialect === undefined && cause !== 'other');
}

const OWN_DIALECTS: ReadonlySet<string> = new Set(['clickhouse', 'bigquery']);

function reasonsOf({ table, path }: PathRead, tables: readonly TableChange[]): readonly ImpactReason[] {
  const change = tables.find((each) => each.table === table);
  if (change === undefined) return [];
  const { lost, paths } = change;
  if (lost !== undefined) {
    const message =
      lost.after === undefined
        ? `the table ${table} was removed`
        : `the table ${table} is called ${lost.after}`;
    return [reason('table', message, { table, name: table })];
  }
  return paths.filter((each) => path !== '' && affects(each, path)).map((each) => pathReason(table, each));
}

function pathReason(table: string, { kind, path, before, after = '' }: PathChange): ImpactReason {
  const shown = table === RESULT ? `the column ${path} of the result` : `${table}.${path}`;
  const messages = {
    removed: `${shown} was removed`,
    renamed: `${shown} is called ${after}`,
    retyped: `${shown} is ${shorten(after)}, was ${shorten(before)}`,
    widened: `${shown} is ${shorten(after)}, was ${shorten(before)}`,
  };
  const name = path.slice(path.lastIndexOf('.') + 1);
  return reason(kind, messages[kind], { table: table === RESULT ? undefined : table, path, name });
}

const SHOWN = 120;

function shorten(type: string): string {
  return type.length <= SHOWN ? type : `${type.slice(0, SHOWN - 1)}…`;
}

function renamed(named: string, { endpoint }: DescribedEndpoint): ImpactReason {
  return reason('endpoint', `the endpoint ${named} is called ${endpoint.name} (${endpoint.id})`);
}

/** LQL without a from clause reads the default table, which may be another one now. */
function movedTables(before: readonly PathRead[], after: readonly PathRead[]): readonly ImpactReason[] {
  const [old, now] = [before, after].map((reads) =>
    [...new Set(reads.map(({ table }) => table))].toSorted().join(', '),
  );
  return old === now ? [] : [reason('table', `it reads ${now}, previously ${old}`)];
}
