// The engine's access control, as a users file: three roles, and row filters. The engine reads the file only while it opens,
// so new rules need all connections closed. https://clickhouse.com/docs/operations/settings/settings-users
import { createHash } from 'node:crypto';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import type { AccessRules, StoredTableName } from '../access-rules.ts';
import { CONTEXT_SETTING } from '../row-policy.ts';
import { EMPTY_DATABASE, type Profile } from './profile.ts';

/**
 * What only this service and the engine know, new at each opening. Row filters let every row pass for `mark`, and accept a
 * context only with its seal: a statement that could change settings could neither read all rows nor name another tenant.
 */
export interface AccessKeys {
  readonly mark: string;
  readonly secret: string;
}

/**
 * The setting with the mark or the seal. A query that set it would read no rows, so it is one that queries have no reason to set: a
 * default for new tables of the engine S3Queue, which needs a server.
 */
const SEAL_SETTING = 's3queue_default_zookeeper_path';

/** Without grants that reach outside of the data folder: files, URLs, other databases. */
const AUTHOR = [
  'SELECT, INSERT, ALTER, CREATE, DROP, UNDROP TABLE, TRUNCATE, OPTIMIZE, SHOW, KILL QUERY, SYSTEM, dictGet, INTROSPECTION ON *.*',
  'TABLE ENGINE ON *',
  'SET DEFINER ON *',
];
/** CREATE TEMPORARY TABLE is what table functions such as `generateRandom` need. */
const READER = ['SELECT, SHOW, dictGet, CREATE TEMPORARY TABLE ON *.*'];

export interface UsersFileOptions {
  readonly rules: AccessRules | undefined;
  readonly keys: AccessKeys;
  /** Access types of sources outside of the data folder that queries may read, such as URL. */
  readonly sources: readonly string[];
}

/** The file's text. Names that an XML element cannot have are not filtered; `isFilterable` tells. */
export function usersFile({ rules, keys, sources }: UsersFileOptions): string {
  const read = sources.map((source) => `READ ON ${source}`);
  const write = sources.map((source) => `READ, WRITE ON ${source}`);
  return `<clickhouse>
<profiles><default><${SEAL_SETTING}>${keys.mark}</${SEAL_SETTING}></default></profiles>
<roles>
${role('author', [...AUTHOR, ...write])}
${role('reader', [...READER, ...read])}
${role('consumer', consumerGrants(rules))}
</roles>
<users><default>
<password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
<grants><query>GRANT author, reader, consumer</query></grants>
<databases>${rules === undefined ? '' : filters(rules, keys)}</databases>
</default></users>
<quotas><default></default></quotas>
</clickhouse>
`;
}

function role(name: string, grants: readonly string[]): string {
  const queries = grants.map((grant) => `<query>${escape(`GRANT ${grant}`)}</query>`);
  return `<${name}><grants>${queries.join('')}</grants></${name}>`;
}

/** SHOW DATABASES is what USE needs. */
function consumerGrants(rules: AccessRules | undefined): readonly string[] {
  const { tables = [], dictionaries = [] } = rules ?? {};
  return [
    `SHOW DATABASES ON ${EMPTY_DATABASE}.*`,
    ...tables.map((table) => `SELECT ON ${quoted(table)}`),
    ...dictionaries.map((dictionary) => `dictGet ON ${quoted(dictionary)}`),
  ];
}

function quoted({ database, table }: StoredTableName): string {
  return `${quoteIdentifier(database)}.${quoteIdentifier(table)}`;
}

function filters({ tables, hidden }: AccessRules, { mark, secret }: AccessKeys): string {
  const isMarked = `getSetting('${SEAL_SETTING}') = '${mark}'`;
  const isSealed = `getSetting('${SEAL_SETTING}') = hex(SHA256(concat(getSetting('${CONTEXT_SETTING}'), '${secret}')))`;
  const byDatabase = new Map<string, string[]>();
  const add = (name: StoredTableName, filter: string): void => {
    if (!isFilterable(name)) return;
    const text = `<${name.table}><filter>${escape(filter)}</filter></${name.table}>`;
    byDatabase.set(name.database, [...(byDatabase.get(name.database) ?? []), text]);
  };
  for (const name of hidden) add(name, isMarked);
  for (const table of tables)
    if (table.filter !== undefined) add(table, `${isMarked} OR (${isSealed} AND (${table.filter}))`);
  return [...byDatabase].map(([database, each]) => `<${database}>${each.join('')}</${database}>`).join('\n');
}

/** Databases and tables are elements of the file, whose paths the engine separates with dots. */
export function isFilterable({ database, table }: StoredTableName): boolean {
  return [database, table].every((name) => /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name));
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The engine arguments of a profile that tell row filters whose rows it may read. */
export function sealed({ context }: Profile, { secret }: AccessKeys): readonly string[] {
  if (context === undefined) return []; // the mark of the default profile applies
  const seal = createHash('sha256').update(`${context}${secret}`).digest('hex').toUpperCase();
  return [`--${CONTEXT_SETTING}=${context}`, `--${SEAL_SETTING}=${seal}`];
}
