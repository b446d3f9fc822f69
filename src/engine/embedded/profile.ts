// How a connection is opened: what runs on it, and the settings that are fixed for its life.
import type { Statement } from '../engine.ts';
import { FIXED_SETTINGS, ISOLATION_SETTINGS, printSettings, settingsOf } from '../settings.ts';

/** Connections of one key are interchangeable. */
export interface Profile {
  readonly key: string;
  /** Engine arguments, in the order they apply. */
  readonly args: readonly string[];
  /** The database that unqualified names are looked up in. */
  readonly database: string;
}

/** Nothing is ever in it, so unqualified names and `'/some/file'` find nothing. */
export const EMPTY_DATABASE = 'millrace_empty';

/** Author-side commands: seeds and tables. The one profile that may write. */
export const AUTHOR_PROFILE: Profile = { key: 'author', args: [], database: 'default' };

/** Authors' saved queries: read-only, their limits in each statement's own SETTINGS clause. */
export const SAVED_PROFILE: Profile = {
  key: 'saved',
  args: [...toArgs(FIXED_SETTINGS), '--readonly=2'],
  database: EMPTY_DATABASE,
};

/** Consumers' queries: their limits are the connection's, and `readonly=1` (last) lets nothing change them. */
export function consumerProfile(statement: Pick<Statement, 'limits' | 'int64' | 'workload'>): Profile {
  const settings = settingsOf(statement);
  return {
    key: `consumer ${printSettings(settings)}`,
    args: [...toArgs({ ...FIXED_SETTINGS, ...ISOLATION_SETTINGS }), ...toArgs(settings), '--readonly=1'],
    database: EMPTY_DATABASE,
  };
}

function toArgs(settings: Readonly<Record<string, string | number>>): readonly string[] {
  return Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
}
