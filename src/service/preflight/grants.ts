// Finds the privileges in `SHOW GRANTS` that go beyond reading, and the REVOKE statements that remove them.

/** The privileges of one grant that go beyond reading. */
export interface Excess {
  readonly privileges: readonly string[];
  readonly target: string;
  /** The REVOKE statement. */
  readonly fix: string;
}

/** Reading, and listing what exists. */
const HARMLESS = /^(SELECT|SHOW|USAGE)\b/;

/** `GRANT SELECT(a, b), INSERT ON db.* TO user WITH GRANT OPTION`; https://clickhouse.com/docs/sql-reference/statements/grant */
const LINE = /^GRANT (.+) ON (\S+) TO (.+?)( WITH GRANT OPTION)?$/;

/** The usage table, and the privileges that writing to it needs. */
const OWN_TARGET = /^`?millrace`?\.(\*|calls)$/;
const OWN = /^(INSERT|CREATE DATABASE|CREATE TABLE)\b/;

/** Undefined for a grant that only allows reading tables. */
export function excessIn(line: string): Excess | undefined {
  const [, list, target, grantee, option] = LINE.exec(line) ?? [];
  if (list === undefined || target === undefined || grantee === undefined) return undefined;
  const isOwn = OWN_TARGET.test(target);
  const all = splitPrivileges(list).filter((each) => !(isOwn && OWN.test(each)));
  const readsAll = target === '*.*';
  const privileges = all.filter(
    (each) => option !== undefined || !HARMLESS.test(each) || (readsAll && each === 'SELECT'),
  );
  if (privileges.length === 0) return undefined;
  return { privileges, target, fix: `REVOKE ${privileges.join(', ')} ON ${target} FROM ${grantee};` };
}

/** The roles granted by a line without ON: `GRANT reader, writer TO user`. */
export function rolesIn(line: string): readonly string[] {
  const list = / ON /.test(line) ? undefined : /^GRANT (.+) TO /.exec(line)?.[1];
  return list === undefined ? [] : list.split(', ');
}

/** Commas inside a column list do not separate privileges. */
function splitPrivileges(list: string): readonly string[] {
  return list.split(/, (?![^(]*\))/);
}
