// The layers of the engine process's confinement, for readiness and metrics.
import { LAYERS, type Confinement, type LayerName } from '../engine/embedded/confinement/confinement.ts';

export interface ConfinementChecks {
  /** `ok`, `degraded` if the system lacks the layer, or `off` by the settings. Empty if the engine has no process of its own. */
  readonly checks: Readonly<Partial<Record<LayerName, 'ok' | 'degraded' | 'off'>>>;
  readonly causes: Readonly<Partial<Record<LayerName, string | undefined>>>;
}

export function confinementChecks(confinement: Confinement | undefined): ConfinementChecks {
  if (confinement === undefined) return { checks: {}, causes: {} };
  const missing = reasonsOf(confinement);
  const checkOf = (name: LayerName): 'ok' | 'degraded' | 'off' => {
    if (confinement.mode === 'off') return 'off';
    return missing.get(name) === undefined ? 'ok' : 'degraded';
  };
  return {
    checks: Object.fromEntries(LAYERS.map((name) => [name, checkOf(name)])),
    causes: Object.fromEntries(missing),
  };
}

const reasonsOf = ({ layers }: Confinement): ReadonlyMap<LayerName, string | undefined> =>
  new Map(layers.map(({ name, missing }) => [name, missing]));

/** 1 for each layer in force, 0 for each other. */
export function confinementGauge({ layers }: Confinement): readonly (readonly [LayerName, number])[] {
  const inForce = new Set(layers.flatMap(({ name, missing }) => (missing === undefined ? [name] : [])));
  return LAYERS.map((name) => [name, Number(inForce.has(name))]);
}
