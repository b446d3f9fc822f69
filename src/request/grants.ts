// What `SHOW GRANTS` says a user may do beyond reading, and the statements that take it away.

/** One line of it, as far as it gives more than reading. */
export interface Excess {
  readonly privileges: readonly string[];
  readonly target: string;
  /** The REVOKE. */
  readonly mend: string;
}

/** Reading, and seeing that something is there. */
const HARMLESS = /^(SELECT|SHOW|USAGE)\b/;

/** `GRANT SELECT(a, b), INSERT ON db.* TO user WITH GRANT OPTION`; https://clickhouse.com/docs/sql-reference/statements/grant */
const LINE = /^GRANT (.+) ON (\S+) TO (.+?)( WITH GRANT OPTION)?$/;

/** Where usage is written, and what that takes. */
const OWN_TARGET = /^`?millrace`?\.(\*|calls)$/;
const OWN = /^(INSERT|CREATE DATABASE|CREATE TABLE)\b/;

/** Undefined for a line that gives no more than reading some tables. */
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
  return { privileges, target, mend: `REVOKE ${privileges.join(', ')} ON ${target} FROM ${grantee};` };
}

/** The roles that a line without ON gives: `GRANT reader, writer TO user`. */
export function rolesIn(line: string): readonly string[] {
  const list = / ON /.test(line) ? undefined : /^GRANT (.+) TO /.exec(line)?.[1];
  return list === undefined ? [] : list.split(', ');
}

/** Commas inside of a column list do not part privileges. */
function splitPrivileges(list: string): readonly string[] {
  return list.split(/, (?![^(]*\))/);
}
