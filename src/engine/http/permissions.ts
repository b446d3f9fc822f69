// Which of our settings a user may be sent: a read-only profile refuses all of them, or all but those that it names.
import type { Settings } from '../engine.ts';

/** Asks the server once for each user, and again after `forget`. */
export interface Permissions {
  /** The names among ours that the user's profile lets a request change. Rejects as `ask` does. */
  of(user: string): Promise<ReadonlySet<string>>;
  /** The server refused a setting: the profile has changed. */
  forget(user: string): void;
}

/** Refusals of a setting: UNKNOWN_SETTING, READONLY, SETTING_CONSTRAINT_VIOLATION. */
export const SETTING_REFUSED: ReadonlySet<number> = new Set([115, 164, 452]);

/** `ask` runs a statement as the user, with no settings at all, and gives its lines. */
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
 * Every setting of its server that the user may change; https://clickhouse.com/docs/operations/system-tables/settings.
 * Where `readonly` is 0 and may not be changed it is sent all the same, and refused: better no answer than a writing user.
 */
const CHANGEABLE = `SELECT name FROM system.settings
WHERE readonly = 0 OR (name = 'readonly' AND value = '0') FORMAT TabSeparated`;

/** Those of the settings that may be sent. */
export function sendable(settings: Settings, names: ReadonlySet<string>): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => names.has(name)));
}
