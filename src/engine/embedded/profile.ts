// Connection profiles: which statements run on a connection, and the settings fixed when it is opened.
import type { Statement } from '../engine.ts';
import { FIXED_SETTINGS, ISOLATION_SETTINGS, printSettings, settingsOf } from '../settings.ts';

/** Connections with the same key are interchangeable. */
export interface Profile {
  readonly key: string;
  /** Engine arguments, in order of application. */
  readonly args: readonly string[];
  /** The database in which unqualified names are resolved. */
  readonly database: string;
}

/** Always empty, so that unqualified names and `'/some/file'` resolve to nothing. */
export const EMPTY_DATABASE = 'millrace_empty';

/** Commands of the operator: seeds and tables. The only profile that may write. */
export const AUTHOR_PROFILE: Profile = { key: 'author', args: [], database: 'default' };

/** Saved queries: read-only, with limits in each statement's SETTINGS clause. */
export const SAVED_PROFILE: Profile = {
  key: 'saved',
  args: [...toArgs(FIXED_SETTINGS), '--readonly=2'],
  database: EMPTY_DATABASE,
};

/** Consumer queries: limits are set on the connection, and `readonly=1` (last) prevents any change to them. */
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
