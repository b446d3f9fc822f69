// Remembers rollups that a call has found to be wrong. Their states say so to all processes, if the user of the service may write them,
// until they are filled again; otherwise only this process knows it, while it runs.
import type { Rollup } from '../../guard/rollups/model.ts';
import type { Engine } from '../engine/engine.ts';
import type { StandingOf } from './standing.ts';
import { readStates, stateOf, writeState } from './state.ts';

type Version = Pick<Rollup, 'name' | 'version'>;

export interface Distrust {
  /** Resolves to whether the state could be written. Never rejects. */
  readonly add: (version: Version, reason: string) => Promise<boolean>;
  /** It returns undefined if the version is trusted. */
  readonly reasonOf: (version: Version) => string | undefined;
  /** It returns the standings of versions that are not distrusted. */
  readonly withFailures: (standingOf: StandingOf) => StandingOf;
}

interface Failure {
  readonly reason: string;
  isWritten: boolean;
  /** It is true if the failure was read from the state: if it is not there any more, the rollup was filled again. */
  isSeen: boolean;
}

export function createDistrust(engine: Engine): Distrust {
  const failures = new Map<string, Failure>();
  return {
    add: async (version, reason) => {
      const failure = { reason, isWritten: false, isSeen: false };
      failures.set(keyOf(version), failure);
      failure.isWritten = await writeFailure(engine, version, reason);
      return failure.isWritten;
    },
    reasonOf: (version) => failures.get(keyOf(version))?.reason,
    withFailures: (standingOf) => async (state, now) => {
      const known = failures.get(keyOf(state.rollup));
      if (known === undefined) return standingOf(state, now);
      if (state.failure !== undefined) known.isSeen = true;
      else if (known.isSeen) failures.delete(keyOf(state.rollup));
      // Comparing the rollup may have written an earlier state over it.
      else if (known.isWritten) await writeFailure(engine, state.rollup, known.reason);
      return failures.has(keyOf(state.rollup)) ? { reason: known.reason } : standingOf(state, now);
    },
  };
}

function keyOf({ name, version }: Version): string {
  return `${name}@${version}`;
}

async function writeFailure(engine: Engine, version: Version, failure: string): Promise<boolean> {
  try {
    const state = stateOf(await readStates(engine), version);
    if (state !== undefined) await writeState(engine, { ...state, failure });
    return state !== undefined;
  } catch {
    return false; // this process does not use it all the same
  }
}
