// Calls without a server and with full access, for commands.
import type { Keyring } from '../auth/keyring.ts';
import type { Principal } from '../auth/principal.ts';
import type { Catalog } from '../endpoints/catalog.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { RequestPath } from '../request/answer.ts';
import type { PreflightFinding } from '../preflight/finding.ts';
import { openCore, type Core, type CoreOptions } from './core.ts';
import { preflight } from './preflight.ts';
import type { Live } from '../fronts/live/live.ts';

export interface Local {
  readonly path: RequestPath;
  readonly live: Live;
  readonly catalog: () => Catalog;
  /** Errors of files that are not served. */
  readonly rejected: () => readonly Finding[];
  readonly preflight: () => Promise<readonly PreflightFinding[]>;
  close(): Promise<void>;
}

/** The principal of local commands. */
export const FULL_ACCESS: Principal = {
  id: 'local',
  usageId: 'local',
  name: 'local',
  covers: () => true,
  languages: new Set(['sql', 'lql']),
  locked: new Map(),
  seesStatements: true,
  redact: false,
  resultShape: undefined,
  rate: undefined,
  budgets: [],
};

/** Accepts every key and grants full access. */
export const LOCAL_KEYRING: Keyring = {
  authenticate: () => ({ kind: 'accepted', principal: FULL_ACCESS, expires: Infinity }),
};

export type LocalOptions = Pick<CoreOptions, 'settings' | 'engine' | 'observe'>;

/** Rejects if the endpoints folder cannot be read. */
export function openLocalCore(options: LocalOptions): Promise<Core> {
  const keyUse = { note: () => undefined };
  return openCore({ ...options, link: undefined, keyring: () => LOCAL_KEYRING, keyUse });
}

export async function openLocal(options: LocalOptions): Promise<Local> {
  const core = await openLocalCore(options);
  return {
    path: core.path,
    live: core.live,
    catalog: core.catalog.current,
    rejected: () => core.catalog.diagnostics().filter(({ severity }) => severity === 'error'),
    preflight: async () => {
      await core.access.refresh();
      return preflight(options.engine, core.catalog, core.describe);
    },
    close: core.close,
  };
}
