// Routes planned queries to rollups: what runs is the routed statement, and the planned one if the engine rejects that.
import { isRoutedTree, OPINION } from '../../../guard/rollups/opinion.ts';
import type { RollupInUse } from '../../../guard/rollups/model.ts';
import { createRouter, type Route, type Router, type RollupsOf } from '../../../guard/rollups/route.ts';
import type { Unfit } from '../../../guard/rollups/term.ts';
import { createLru } from '../../../sql/base/lru.ts';
import { fixClock } from '../../../sql/clickhouse/fixed-clock.ts';
import { explain } from '../../endpoints/explain.ts';
import { EngineError, type Engine, type Statement } from '../../engine/engine.ts';
import { readRows } from '../../engine/rows.ts';

/** The rollups that queries can read now. */
export interface CurrentRollups {
  readonly of: RollupsOf;
  readonly all: () => readonly RollupInUse[];
}

/** A statement that reads a rollup in place of rows. */
export interface RoutedStatement {
  readonly rollup: string;
  readonly statement: Statement;
}

/** It says whether a statement is routed, and why not. */
export type Routed =
  | ({ readonly kind: 'rollup' } & RoutedStatement)
  | { readonly kind: 'rows'; readonly rollup: string; readonly reason: Unfit };

export interface Routing {
  /** Undefined: it reads no table that has rollups. `now` is the time of the call, in milliseconds since 1970. */
  readonly route: (statement: Statement, now: number) => Promise<Routed | undefined>;
}

export interface RoutingOptions {
  readonly engine: Engine;
  readonly rollups: CurrentRollups;
}

/** Characters of statements. */
const ROUTES = 4_000_000;

interface KnownRoute {
  /** The rollups that it was read with. */
  readonly with: string;
  readonly sources: readonly Parameters<RollupsOf>[0][];
  readonly route: Route | undefined;
  /** Resolves to whether the engine reads it alike. */
  isAccepted?: Promise<boolean>;
}

export function createRouting({ engine, rollups }: RoutingOptions): Routing {
  const routerOf = createRouters(engine);
  const known = createLru<KnownRoute>({ size: ROUTES, sizeOf: (_, sql) => sql.length + 1 });
  const find = async (sql: string): Promise<KnownRoute> => {
    const before = known.get(sql);
    if (before?.with === before?.sources.map((source) => keyOf(rollups.of(source))).join()) {
      if (before !== undefined) return before;
    }
    const sources: Parameters<RollupsOf>[0][] = [];
    const route = (await routerOf()).route(sql, (source) => {
      sources.push(source);
      return rollups.of(source);
    });
    const found = { with: sources.map((source) => keyOf(rollups.of(source))).join(), sources, route };
    known.set(sql, found);
    return found;
  };
  return {
    route: async (statement, now) => {
      if (rollups.all().length === 0) return undefined;
      const found = await find(statement.sql);
      const { route } = found;
      if (route === undefined) return undefined;
      const { name } = route.rollup;
      if (route.kind === 'rows') return { kind: 'rows', rollup: name, reason: route.reason };
      const routed = { ...statement, sql: route.sql };
      if (statement.origin === 'consumer') {
        found.isAccepted ??= readsAlike(engine, routed);
        if (!(await found.isAccepted)) return { kind: 'rows', rollup: name, reason: OTHERWISE };
      }
      return { kind: 'rollup', rollup: name, statement: { ...routed, sql: fixClock(routed.sql, now) } };
    },
  };
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

function keyOf(all: readonly RollupInUse[]): string {
  return all
    .map(({ rollup, coverage, columns }) =>
      [rollup.name, rollup.version, coverage.from, coverage.until, columns.id].join(' '),
    )
    .join();
}

/** The query tree check on a consumer's statement. */
async function readsAlike(engine: Engine, { sql, ...caller }: Statement): Promise<boolean> {
  const { key, onFatal, parameters, rowPolicy } = caller;
  const explained = await explain(engine, `${OPINION}${sql}`, {
    caller: { key, onFatal, parameters, rowPolicy },
  }).catch((error: unknown) => {
    if (error instanceof EngineError) return undefined; // the statement over rows reports it
    throw error;
  });
  return explained?.kind === 'tree' && isRoutedTree(explained.text, sql);
}

/** Returns whether the planned statement may run after a routed one failed: the rollup may be missing, changed or not granted. */
export function isRouteFailure(cause: unknown): boolean {
  return cause instanceof EngineError && (cause.failure === 'rejected' || cause.failure === 'memory');
}
