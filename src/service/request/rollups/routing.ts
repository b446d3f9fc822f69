// Routes planned queries to rollups: what runs is the routed statement, and the planned one if the engine rejects that.
import { isRoutedTree, OPINION } from '../../../guard/rollups/opinion.ts';
import type { RollupInUse } from '../../../guard/rollups/model.ts';
import { createRouter, type Route, type Router, type RollupsOf } from '../../../guard/rollups/route.ts';
import type { Unfit } from '../../../guard/rollups/term.ts';
import { createLru } from '../../../sql/base/lru.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import { readClock } from '../../../sql/clickhouse/fixed-clock.ts';
import { explain } from '../../endpoints/explain.ts';
import { EngineError, type Engine, type Statement } from '../../engine/engine.ts';
import { readRows } from '../../engine/rows.ts';

/** The rollups that queries can read now. */
export interface CurrentRollups {
  /** It returns the rollups of a stored table that statements of an origin may read. */
  readonly of: (source: SourceName, origin: Statement['origin']) => readonly RollupInUse[];
  /** It returns the other rollups, and why statements do not read them. */
  readonly unused: (source: SourceName, origin: Statement['origin']) => readonly UnusedRollup[];
  /** It returns none if no file declares one. */
  readonly all: () => readonly { readonly name: string }[];
}

type SourceName = Parameters<RollupsOf>[0];

interface UnusedRollup {
  readonly name: string;
  readonly reason: string;
}

/** A statement that reads a rollup in place of rows. */
export interface RoutedStatement {
  readonly rollup: string;
  readonly version: string;
  /** It is false if a measure is read whose file accepts other values than those of the rows. */
  readonly isExact: boolean;
  readonly statement: Statement;
}

/** It says whether a statement is routed, and why not. */
export type Routed =
  | ({ readonly kind: 'rollup' } & RoutedStatement)
  | { readonly kind: 'rows'; readonly rollup: string; readonly reason: Unfit };

export interface Routing {
  /**
   * Resolves to undefined if the statement reads no table that has rollups. `now` is the time of the call, in milliseconds since 1970. It
   * never rejects: what cannot be routed reads rows.
   */
  readonly route: (statement: Statement, now: number) => Promise<Routed | undefined>;
}

export interface RoutingOptions {
  readonly engine: Engine;
  readonly rollups: CurrentRollups;
  readonly observe: Observe;
}

/** Statements and their routes have at most this many characters in memory. */
const ROUTES = 4_000_000;

interface KnownRoute {
  /** The rollups that it was read with. */
  readonly with: string;
  readonly sources: readonly SourceName[];
  readonly route: Route | undefined;
  /** It returns the text of the routed statement at a time. */
  textAt?: (now: number) => string;
  /**
   * It resolves to whether the engine reads the route alike, or to undefined if that is not known, such as after the engine was
   * unavailable.
   */
  isAccepted?: Promise<boolean | undefined> | undefined;
}

/** The text of a route is kept as it is, and between its calls of the clock. */
function sizeOf({ route, with: rollups }: KnownRoute, sql: string): number {
  return sql.length + rollups.length + (route?.kind === 'rollup' ? 2 * route.sql.length : 0) + 1;
}

export function createRouting({ engine, rollups, observe }: RoutingOptions): Routing {
  const routerOf = createRouters(engine);
  const known = createLru<KnownRoute>({ size: ROUTES, sizeOf });
  const find = async ({ sql, origin }: Statement): Promise<KnownRoute> => {
    const keysOf = (sources: readonly SourceName[]): string =>
      sources.map((source) => keyOf(rollups.of(source, origin))).join();
    const before = known.get(sql);
    if (before !== undefined && before.with === keysOf(before.sources)) return before;
    const sources: SourceName[] = [];
    const route = (await routerOf()).route(sql, (source) => {
      sources.push(source);
      return rollups.of(source, origin);
    });
    const found = { with: keysOf(sources), sources, route };
    known.set(sql, found);
    return found;
  };
  const isAccepted = async (found: KnownRoute, statement: Statement): Promise<boolean | undefined> => {
    let accepted: boolean | undefined;
    try {
      accepted = await (found.isAccepted ??= readsAlike(engine, statement));
      return accepted;
    } finally {
      if (accepted === undefined) found.isAccepted = undefined;
    }
  };
  const route = async (statement: Statement, now: number): Promise<Routed | undefined> => {
    const { origin } = statement;
    const found = await find(statement);
    if (found.route === undefined)
      return found.sources.flatMap((source) => rollups.unused(source, origin).map(unusedRoute))[0];
    const { name } = found.route.rollup;
    if (found.route.kind === 'rows') return { kind: 'rows', rollup: name, reason: found.route.reason };
    const routed = { ...statement, sql: found.route.sql };
    const accepted = origin === 'saved' || (await isAccepted(found, routed));
    if (accepted !== true)
      return { kind: 'rows', rollup: name, reason: accepted === false ? OTHERWISE : UNKNOWN };
    const textAt = (found.textAt ??= readClock(found.route.sql));
    return { kind: 'rollup', ...routedStatement(found.route, { ...routed, sql: textAt(now) }) };
  };
  return {
    route: async (statement, now) => {
      const [first] = rollups.all();
      if (first === undefined) return undefined;
      try {
        return await route(statement, now);
      } catch (cause) {
        // A failure here must not fail the call: the statement over rows is right without a route.
        observe({ kind: 'rollup.not_routed', cause });
        return { kind: 'rows', rollup: first.name, reason: FAILED };
      }
    },
  };
}

function routedStatement(
  { rollup: { name, version, measures }, sql }: Extract<Route, { kind: 'rollup' }>,
  statement: Statement,
): RoutedStatement {
  const isExact = !measures.some((each) => each.approximate && sql.includes(quoteIdentifier(each.name)));
  return { rollup: name, version, isExact, statement };
}

function unusedRoute({ name, reason }: UnusedRollup): Routed {
  return { kind: 'rows', rollup: name, reason: { text: reason } };
}

/** The router with the time zone of the server, once that is known. */
function createRouters(engine: Engine): () => Promise<Router> {
  const unknown = createRouter({ zone: undefined });
  let known = engine.kind === 'embedded' ? createRouter({ zone: 'UTC' }) : undefined;
  return async () => {
    if (known !== undefined) return known;
    const rows = await readRows(engine, 'SELECT timezone()').catch((error: unknown) => {
      if (error instanceof EngineError) return [];
      throw error;
    });
    const [[zone] = []] = rows as readonly (readonly [string])[]; // one string column
    if (zone !== undefined) known = createRouter({ zone });
    return known ?? unknown;
  };
}

const OTHERWISE: Unfit = { text: 'the engine reads the routed statement in another way' };
const UNKNOWN: Unfit = { text: 'the engine could not be asked how it reads the routed statement' };
const FAILED: Unfit = { text: 'routing the query failed, as the log says' };

function keyOf(all: readonly RollupInUse[]): string {
  return all
    .map(({ rollup, coverage, columns }) =>
      [rollup.name, rollup.version, coverage.from, coverage.until, columns.id].join(' '),
    )
    .join();
}

/** Runs the query tree check on a consumer's statement; resolves to undefined if the engine could not be asked. */
async function readsAlike(engine: Engine, { sql, ...caller }: Statement): Promise<boolean | undefined> {
  const { key, onFatal, parameters, rowPolicy } = caller;
  const explained = await explain(engine, `${OPINION}${sql}`, {
    caller: { key, onFatal, parameters, rowPolicy },
  }).catch((error: unknown) => {
    if (error instanceof EngineError) return undefined; // the statement over rows reports it
    throw error;
  });
  return explained && explained.kind === 'tree' && isRoutedTree(explained.text, sql);
}

/** Returns whether the planned statement may run after a routed one failed: the rollup may be missing, changed or not granted. */
export function isRouteFailure(cause: unknown): boolean {
  return cause instanceof EngineError && (cause.failure === 'rejected' || cause.failure === 'memory');
}
