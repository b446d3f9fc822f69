// Opens the data directory in an engine process: under its rules, with a pool of connections and the control connection.
import { randomBytes } from 'node:crypto';
import type { Observe } from '../../../sql/base/observation.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { Confinement } from './confinement/confinement.ts';
import type { EngineProcess, EngineProcessOptions } from './engine-process.ts';
import type { AccessRules } from '../access-rules.ts';
import { removeUsersFile, writeUsersFile } from './config-file.ts';
import type { Connections } from './connection.ts';
import type { DataCheck } from './data-damage.ts';
import { createKiller, type Killer } from './killer.ts';
import { createPool, type Pool } from './pool.ts';
import { openControlConnection, type ControlConnection } from './control-connection.ts';
import { sealed, usersFile, type AccessKeys } from './users-file.ts';

export interface Generation {
  readonly process: EngineProcess;
  readonly confinement: Confinement;
  readonly pool: Pool;
  readonly control: ControlConnection;
  readonly killer: Killer;
  /** Consumer statements that are running, or were running when the process ended. */
  consumers: number;
}

export interface OpeningOptions extends EngineProcessOptions {
  readonly observe: Observe;
  readonly after: After;
  /** The rules for consumer statements; undefined: they may read every table. */
  readonly rules: () => AccessRules | undefined;
  /** See UsersFileOptions. */
  readonly sources: readonly string[];
  readonly data: DataCheck;
}

export async function openData(
  process: EngineProcess,
  options: OpeningOptions,
): Promise<Omit<Generation, 'confinement'>> {
  const { path, connections, observe, after, sources } = options;
  const rules = options.rules();
  const keys: AccessKeys = { mark: randomKey(), secret: randomKey() };
  await writeUsersFile(path, usersFile({ rules, keys, sources }));
  const control = await openUnder(process, path);
  const killer = createKiller({ control, after, observe });
  await options.data.check(control);
  const restricted = sealConnections(process, keys, rules !== undefined);
  const pool = createPool({ connections: restricted, limit: connections * 2, observe });
  return { process, pool, control, killer, consumers: 0 };
}

/** The users file holds secrets, and the engine reads it only now. */
async function openUnder(process: EngineProcess, path: string): Promise<ControlConnection> {
  try {
    return await openControlConnection(process);
  } finally {
    await removeUsersFile(path);
  }
}

function randomKey(): string {
  return randomBytes(24).toString('hex');
}

/** Without rules, consumer statements have the role of saved ones. */
function sealConnections({ open }: Connections, keys: AccessKeys, hasRules: boolean): Connections {
  return {
    open: (profile) => {
      const role = profile.role === 'consumer' && !hasRules ? 'reader' : profile.role;
      return open({ ...profile, role, args: [...sealed(profile, keys), ...profile.args] });
    },
  };
}
