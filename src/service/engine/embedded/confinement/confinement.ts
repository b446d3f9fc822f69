// What confines the engine process, as its parent chooses it and as the process reports it.

/** `required`: the engine does not start without every layer. `preferred`: it starts with those that the system has. */
export type ConfinementMode = 'required' | 'preferred' | 'off';

export interface ConfinementOptions {
  readonly mode: ConfinementMode;
  /** Absolute paths of files and folders that statements may read, besides the engine's own. */
  readonly read: readonly string[];
  /** Absolute paths of folders that statements may write to, besides the data folder. */
  readonly write: readonly string[];
  /** It is true if statements may open connections, as `url()` and `s3()` do. */
  readonly network: boolean;
}

export const DEFAULT_CONFINEMENT: ConfinementOptions = {
  mode: 'preferred',
  read: [],
  write: [],
  network: false,
};

/** `landlock`: which files can be opened. `seccomp`: which system calls can be made, so no network, children or other processes. */
export type LayerName = 'landlock' | 'seccomp';

export const LAYERS: readonly LayerName[] = ['landlock', 'seccomp'];

export interface Layer {
  readonly name: LayerName;
  /** Why it is not in force; undefined if it is. */
  readonly missing?: string | undefined;
}

/** What holds for an engine process. */
export interface Confinement {
  readonly mode: ConfinementMode;
  readonly network: boolean;
  readonly layers: readonly Layer[];
}

/** The layers without one mechanism that all of them need. */
export function noLayers(missing: string): readonly Layer[] {
  return LAYERS.map((name) => ({ name, missing }));
}

/** Why the engine does not start; undefined if the process may serve. */
export function confinementFailure({ mode, layers }: Confinement): string | undefined {
  const missing = layers.flatMap(({ name, missing: reason }) =>
    reason === undefined ? [] : [`${name} (${reason})`],
  );
  if (mode !== 'required' || missing.length === 0) return undefined;
  return `engine_confinement is required, but the engine process cannot be confined by ${missing.join(' and by ')}`;
}
