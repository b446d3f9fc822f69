// Parameters persist on a connection: a later statement could read the values of an earlier caller.
import type { Connection } from './connection.ts';

interface Bindable {
  readonly sql: string;
  readonly names: readonly string[];
}

/** Whether the statement may reference a parameter that is set on the connection but not passed with the statement. */
export function readsStale({ bound }: Pick<Connection, 'bound'>, { sql, names }: Bindable): boolean {
  if (bound.size <= names.length && names.every((name) => bound.has(name))) return false;
  return [...bound].some((name) => !names.includes(name) && mentions(sql, name));
}

/**
 * Placeholders look like `{name:Type}`, possibly with whitespace and comments. Deliberately loose: any brace plus the
 * name counts.
 */
function mentions(sql: string, name: string): boolean {
  return sql.includes('{') && sql.includes(name);
}
