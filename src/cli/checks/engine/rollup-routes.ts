// Says of each saved query which rollup it would read if all were filled, or why none.
import type { RollupInUse } from '../../../guard/rollups/model.ts';
import { createRouter, type RollupsOf, type Route } from '../../../guard/rollups/route.ts';
import { referenceOf, type Endpoint } from '../../../service/endpoints/endpoint.ts';
import type { RollupDeclaration } from '../../../service/endpoints/rollups/read-rollups.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readColumns } from '../../../service/rollups/columns.ts';
import { resolveRollup } from '../../../service/rollups/resolve.ts';

export interface RoutesInput {
  readonly endpoints: readonly Endpoint[];
  readonly declared: readonly RollupDeclaration[];
  /** It is the time zone of the server, or undefined if that is not known. */
  readonly zone: string | undefined;
}

/** Returns a line for each variant whose tables have rollups. Rejects with EngineError. */
export async function rollupRoutes(
  engine: Engine,
  { endpoints, declared, zone }: RoutesInput,
): Promise<readonly string[]> {
  const rollupsOf = await readFilled(engine, declared);
  const { route } = createRouter({ zone });
  return endpoints.flatMap((endpoint) =>
    endpoint.variants().flatMap((variant) => {
      const found = route(variant.statement, rollupsOf);
      if (found === undefined) return [];
      const name = variant.variant === '' ? '' : ` (${variant.variant})`;
      return [`${referenceOf(endpoint)}${name}: ${routeText(endpoint, found)}`];
    }),
  );
}

/** Resolves to the rollups of each table as if all were filled; those that the engine rejects are left out. Rejects with EngineError. */
export async function readFilled(engine: Engine, declared: readonly RollupDeclaration[]): Promise<RollupsOf> {
  const all: RollupInUse[] = [];
  for (const each of declared) {
    const { plan } = await resolveRollup(engine, each);
    if (plan === undefined) continue;
    const columns = await readColumns(engine, plan.rollup.source);
    all.push({ rollup: plan.rollup, coverage: ALL_TIMES, columns });
  }
  return ({ database, table }) =>
    all.filter(({ rollup: { source } }) => source.database === database && source.table === table);
}

/** A rollup that is filled covers these times: those after 1970 that its buckets can have. */
export const ALL_TIMES = { from: 0n, until: BigInt(Date.UTC(2100, 0)) * 1000n };

function routeText({ readsRollups }: Endpoint, route: Route): string {
  if (!readsRollups) return 'reads rows: its file has rollups: off';
  if (route.kind === 'rollup') return `${route.rollup.name}, with buckets of ${route.table.every} s`;
  const { quoted, text } = route.reason;
  return `${route.rollup.name} is not used: ${quoted === undefined ? '' : `${quoted} `}${text}`;
}
