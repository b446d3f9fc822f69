// What the operating system keeps the embedded engine's process from.
import type { LayerName } from '../engine/embedded/confinement/confinement.ts';
import type { Engine } from '../engine/engine.ts';
import type { PreflightFinding } from './finding.ts';

const NAMES: Readonly<Record<LayerName, string>> = {
  landlock: 'Landlock: the engine process opens no files but its own',
  seccomp: 'seccomp: the engine process makes no connections and no processes',
};

/** A finding for each layer; none for an engine without a process of its own. */
export function checkConfinement({ confinement }: Engine): readonly PreflightFinding[] {
  const { mode, layers } = confinement?.() ?? { mode: 'off', layers: [] };
  if (confinement !== undefined && mode === 'off') return [SWITCHED_OFF];
  return layers.map(({ name, missing }) =>
    missing === undefined
      ? { layer: 'process', name: NAMES[name], outcome: 'held' }
      : { layer: 'process', name: `${NAMES[name]}: not in force, ${missing}`, outcome: 'advice' },
  );
}

const SWITCHED_OFF: PreflightFinding = {
  layer: 'process',
  name: 'the engine process is not confined',
  outcome: 'advice',
  fix: 'Remove the setting engine_confinement: off',
};
