// Which settings may be sent for a user: a read-only profile rejects all settings, or all except those it permits.
import type { Settings } from '../engine.ts';

/** Queries the server once per user, and again after `forget`. */
export interface Permissions {
  /** Names of the settings that the user's profile allows a request to change. Rejects as `ask` does. */
  of(user: string): Promise<ReadonlySet<string>>;
  /** To be called after the server rejected a setting: the profile has changed. */
  forget(user: string): void;
}

/** Error codes for a rejected setting: UNKNOWN_SETTING, READONLY, SETTING_CONSTRAINT_VIOLATION. */
export const SETTING_DENIED: ReadonlySet<number> = new Set([115, 164, 452]);

/** `ask` runs a statement as the user, without settings, and returns its lines. */
export function createPermissions(
  ask: (sql: string, user: string) => Promise<readonly string[]>,
): Permissions {
  const known = new Map<string, Promise<ReadonlySet<string>>>();
  return {
    of: (user) => {
      const asked = known.get(user) ?? ask(CHANGEABLE, user).then((names) => new Set(names));
      known.set(user, asked);
      asked.catch(() => known.get(user) === asked && known.delete(user));
      return asked;
    },
    forget: (user) => void known.delete(user),
  };
}

/**
 * All settings that the user may change; https://clickhouse.com/docs/operations/system-tables/settings. `readonly` is
 * included even if it is 0 and cannot be changed: the server then rejects the request, which is safer than running it
 * as a user that can write.
 */
const CHANGEABLE = `SELECT name FROM system.settings
WHERE readonly = 0 OR (name = 'readonly' AND value = '0') FORMAT TabSeparated`;

/** The subset of `settings` that may be sent. */
export function sendable(settings: Settings, names: ReadonlySet<string>): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => names.has(name)));
}
