// Damage of the embedded engine's data, for readiness and metrics.
import { partsOf } from '../engine/embedded/data-damage.ts';
import type { DataDamage } from '../engine/data-damage.ts';
import type { Engine } from '../engine/engine.ts';
import type { Gauge } from '../observe/metrics.ts';
import { describeCause } from '../observe/describe.ts';

/** `degraded` if rows are missing. Empty if the engine has no data folder. */
export function dataCheck(engine: Pick<Engine, 'damage'>): { readonly data?: 'ok' | 'degraded' } {
  if (engine.damage === undefined) return {};
  return { data: dataCause(engine) === undefined ? 'ok' : 'degraded' };
}

/** Names tables, and is for the operator only. */
export function dataCause({ damage }: Pick<Engine, 'damage'>): string | undefined {
  if (damage === undefined) return undefined;
  const reasons = reasonsOf(damage());
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

function reasonsOf({ broken, missing, unchecked }: DataDamage): readonly string[] {
  const parts = broken.map(({ table, parts: number }) => `${table} (${number})`);
  return [
    ...(parts.length === 0 ? [] : [`broken parts: ${parts.join(', ')}`]),
    ...(missing.length === 0 ? [] : [`tables without a definition: ${missing.join(', ')}`]),
    ...(unchecked === undefined ? [] : [`not checked: ${describeCause(unchecked)}`]),
  ];
}

export function dataGauges({ damage }: Pick<Engine, 'damage'>): readonly Gauge[] {
  if (damage === undefined) return [];
  return [
    {
      name: 'millrace_engine_broken_parts',
      help: 'Parts of tables that the embedded engine has set aside because they are damaged: their rows are missing from results.',
      read: () => partsOf(damage()),
    },
    {
      name: 'millrace_engine_missing_tables',
      help: 'Tables with data in the data folder, but without a definition.',
      read: () => damage().missing.length,
    },
  ];
}
