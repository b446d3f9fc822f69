// Parameters outlive their statement: a later one on the same connection could read an earlier caller's values.
import type { Connection } from './connection.ts';

interface Bindable {
  readonly sql: string;
  readonly names: readonly string[];
}

/** Whether the text may name a parameter that is still set on the connection but not given with this statement. */
export function readsStale({ bound }: Pick<Connection, 'bound'>, { sql, names }: Bindable): boolean {
  if (bound.size <= names.length && names.every((name) => bound.has(name))) return false;
  return [...bound].some((name) => !names.includes(name) && mentions(sql, name));
}

/** Placeholders look like `{name:Type}`, with blanks and comments allowed; any brace before the name counts. */
function mentions(sql: string, name: string): boolean {
  return sql.includes('{') && sql.includes(name);
}
