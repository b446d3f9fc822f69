// Checks what a ClickHouse server allows our users and what it lacks; each finding comes with the SQL that fixes it.
import type { Statement } from '../engine/engine.ts';
import { EngineError, isAway, type Engine } from '../engine/engine.ts';
import { ACCESS_DENIED } from '../engine/missing-grant.ts';
import { POLICY_APPLIES } from '../engine/row-policy.ts';
import {
  DEFAULT_OUTPUT,
  FIXED_SETTINGS,
  ISOLATION_SETTINGS,
  printSettings,
  settingsOf,
} from '../engine/settings.ts';
import { TRANSPORT_SETTINGS } from '../engine/http/request.ts';
import { WATCHED_TABLES } from '../endpoints/fingerprint.ts';
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import { excessIn, rolesIn } from './grants.ts';
import type { PreflightFinding } from './finding.ts';
import { CHECK_LIMITS, serverRows, type ServerRow } from './server-rows.ts';

/** One of the service's users on the server. */
interface ServerUser {
  readonly origin: Statement['origin'];
  /** Quoted for SQL. */
  readonly name: string;
  /** Runs a statement as this user. */
  readonly rows: (sql: string) => Promise<readonly ServerRow[]>;
}

type ServerFinding = Omit<PreflightFinding, 'layer'>;
type Check = (user: ServerUser) => Promise<readonly ServerFinding[]>;

/** The oldest supported release: the first with the analyzer on by default and the current JSON type. */
const OLDEST = [24, 8] as const;

/** What the endpoints need of the server. */
export interface ServerNeeds {
  /** It is true if responses are cached until the data changes. */
  readonly isWatching: boolean;
}

/** Rejects with EngineError only if the server is unavailable. */
export async function checkServer(
  engine: Engine,
  { isWatching }: ServerNeeds = { isWatching: false },
): Promise<readonly PreflightFinding[]> {
  const saved = await userOf(engine, 'saved');
  const consumer = await userOf(engine, 'consumer');
  const isShared = saved.name === consumer.name;
  const found = [
    ...(await checked(isWatching ? [...CHECKS, checkWatching] : CHECKS, saved)),
    ...(await checked(isShared ? [checkSettings] : [...CHECKS, checkQuota], consumer)),
    ...(isShared ? [sharedUser(saved)] : []),
  ];
  return found.map((each) => ({ layer: 'server', ...each }));
}

async function userOf(engine: Engine, origin: Statement['origin']): Promise<ServerUser> {
  const rows = (sql: string): Promise<readonly ServerRow[]> => serverRows(engine, { sql, origin });
  const [[name = 'default'] = []] = await rows('SELECT currentUser()');
  return { origin, name: quoteIdentifier(name), rows };
}

/** Reports a check that fails for lack of privileges as a finding. */
async function checked(checks: readonly Check[], user: ServerUser): Promise<readonly ServerFinding[]> {
  const all: ServerFinding[] = [];
  for (const check of checks) {
    all.push(...(await check(user).catch((error: unknown) => [uncheckable(user, error)])));
  }
  return all;
}

const checkVersion: Check = async ({ rows }) => {
  const [[version = ''] = []] = await rows('SELECT version()');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  return [
    {
      name: `the server is version ${version}; version ${OLDEST.join('.')} or later is required`,
      outcome: isOld ? 'open' : 'held',
    },
  ];
};

const checkAnalyzer: Check = async ({ rows, name }) => {
  const values = await rows("SELECT value FROM system.settings WHERE name = 'allow_experimental_analyzer'");
  const isOff = values.some(([value]) => value === '0');
  return [
    {
      name: `${name} runs without the query analyzer, so names resolve differently`,
      outcome: isOff ? 'open' : 'held',
      fix: `ALTER USER ${name} SETTINGS enable_analyzer = 1;`,
    },
  ];
};

/** Settings sent with a statement must be in effect, or set to the same value by the profile. A lower limit is fine. */
const checkSettings: Check = async ({ rows, name, origin }) => {
  const expected = expectedSettings(origin);
  const names = Object.keys(expected).map(quoteString).join(', ');
  const known = await rows(`SELECT name, value FROM system.settings WHERE name IN (${names})`);
  const off = known.filter(([setting = '', value = '']) => !isInEffect(setting, value, expected[setting]));
  const list = off.map(([setting, value]) => `${setting} = ${value}`).join(', ');
  return [
    {
      name: `${name} has settings with other values that cannot be changed: ${list}`,
      outcome: off.length > 0 ? 'open' : 'held',
      fix: profileFor(name, origin, new Set(known.map(([setting = '']) => setting))),
    },
  ];
};

function expectedSettings(origin: Statement['origin']): Readonly<Record<string, string | number>> {
  return {
    ...FIXED_SETTINGS,
    ...(origin === 'consumer' ? ISOLATION_SETTINGS : {}),
    ...settingsOf({ limits: CHECK_LIMITS, int64: 'number' }),
    ...TRANSPORT_SETTINGS,
    readonly: origin === 'consumer' ? 1 : 2,
  };
}

/** Limits: if they cannot be sent with the statement, any limit in the profile will do. */
const BOUND =
  /^max_(execution_time|memory_usage|result_bytes|query_size|ast_elements|expanded_ast_elements|temporary_columns)$/;

function isInEffect(setting: string, value: string, expected: string | number | undefined): boolean {
  if (setting === 'max_rows_to_read') return true; // 0 means no limit
  return BOUND.test(setting) ? Number(value) > 0 : value === String(expected);
}

/** Settings that differ per endpoint, with constraints that an escaped consumer query could not lift. */
const CHANGEABLE = [
  'max_execution_time = 30 MIN 1 MAX 30',
  'max_memory_usage = 2147483648 MIN 1 MAX 2147483648',
  'max_result_bytes = 134217728 MIN 1 MAX 134217728',
  'max_rows_to_read = 0',
  'output_format_json_quote_64bit_integers = 0',
  'output_format_json_quote_decimals = 0',
  "log_comment = ''",
  "workload = 'default'",
];

/** Returns whether results in ClickHouse's own formats have the setting's default instead. */
function isOutput(setting: string): boolean {
  return Object.hasOwn(DEFAULT_OUTPUT, setting);
}

/**
 * The settings profile of a user. Saved queries' user may change all settings the service sends; the consumers' user
 * has them fixed, and may change only those with constraints. `known`: the settings the server has, since not every
 * release has all of them; undefined: all. https://clickhouse.com/docs/operations/settings/constraints-on-settings
 */
export function profileFor(user: string, origin: Statement['origin'], known?: ReadonlySet<string>): string {
  if (origin === 'saved')
    return `CREATE SETTINGS PROFILE OR REPLACE millrace SETTINGS readonly = 2 TO ${user};`;
  const sent = Object.entries({ ...FIXED_SETTINGS, ...ISOLATION_SETTINGS });
  const existing = sent.filter(([name]) => known?.has(name) ?? true);
  const fixed = existing.filter(([name]) => !isOutput(name));
  const held = printSettings({ readonly: 1, ...Object.fromEntries(fixed), ...TRANSPORT_SETTINGS });
  const output = existing.filter(([name]) => isOutput(name));
  const all = [...output.map(([name, value]) => printSettings({ [name]: value })), ...CHANGEABLE];
  const changeable = all.map((each) => `${each} CHANGEABLE_IN_READONLY`).join(', ');
  return `CREATE SETTINGS PROFILE OR REPLACE millrace_consumer SETTINGS ${held}, ${changeable} TO ${user};`;
}

const checkGrants: Check = async ({ rows, name }) => {
  if (name === '`default`') return [defaultUser];
  const lines = (await rows('SHOW GRANTS')).map(([line = '']) => line);
  const ofRoles = await Promise.all(lines.flatMap(rolesIn).map((role) => rows(`SHOW GRANTS FOR ${role}`)));
  const excesses = [...lines, ...ofRoles.flat().map(([line = '']) => line)].flatMap(
    (line) => excessIn(line) ?? [],
  );
  const found = excesses.map(({ privileges, target, fix }): ServerFinding => {
    return {
      name: `${name} has more privileges than reading tables: ${privileges.join(', ')} on ${target}`,
      outcome: 'advice',
      fix,
    };
  });
  return found.length > 0 ? found : [{ name: `${name} has read-only privileges`, outcome: 'held' }];
};

const defaultUser: ServerFinding = {
  name: 'the service runs as `default`, which has all privileges and cannot be changed with SQL',
  outcome: 'advice',
  fix: `CREATE USER millrace IDENTIFIED WITH sha256_password BY '…'; GRANT SELECT ON db.table TO millrace;`,
};

/**
 * Tables that have row policies, but none for our user: depending on the server's configuration, it sees no rows or all
 * of them.
 */
const checkPolicies: Check = async ({ rows, name }) => {
  const tables = await rows(POLICIES);
  const found = tables.map(([database = '', table = '']): ServerFinding => {
    const where = `${quoteIdentifier(database)}.${quoteIdentifier(table)}`;
    return {
      name: `${where} has row policies but none for ${name}, which reads no rows or all rows (users_without_row_policies_can_read_rows)`,
      outcome: 'advice',
      fix: `CREATE ROW POLICY millrace ON ${where} USING 1 TO ${name};`,
    };
  });
  return found.length > 0 ? found : [{ name: `row policies for ${name}`, outcome: 'held' }];
};

const POLICIES = `SELECT database, table FROM system.row_policies WHERE table != '' GROUP BY database, table
HAVING NOT max(${POLICY_APPLIES})`;

/** For `until: data`: what a check of the data reads, besides tables that every user may read. */
const checkWatching: Check = async ({ rows, name }) => {
  const distributed = await rows("SELECT 1 FROM system.tables WHERE engine = 'Distributed' LIMIT 1");
  const needed = [...WATCHED_TABLES, ...(distributed.length > 0 ? ['clusters'] : [])];
  const missing: string[] = [];
  for (const table of needed) {
    const isReadable = await rows(`SELECT count() FROM system.${table} WHERE 0`).then(
      () => true,
      (error: unknown) => {
        if (error instanceof EngineError && error.engineCode === ACCESS_DENIED) return false;
        throw error;
      },
    );
    if (!isReadable) missing.push(table);
  }
  const tables = missing.map((table) => `system.${table}`);
  return [
    {
      name: `${name} cannot read ${tables.join(', ')}: with cache.until: data, changes of the data are not seen, and responses are valid for cache.check`,
      outcome: missing.length > 0 ? 'advice' : 'held',
      fix: tables.map((table) => `GRANT SELECT ON ${table} TO ${name};`).join(' '),
    },
  ];
};

const checkQuota: Check = async ({ rows, name }) => {
  const quotas = await rows(QUOTAS);
  const full = quotas.filter(([, share]) => Number(share) >= 0.9);
  if (quotas.length === 0) return [noQuota(name)];
  if (full.length === 0) return [{ name: `the quota of ${name}`, outcome: 'held' }];
  return full.map(([quota = '']): ServerFinding => {
    return {
      name: `the quota ${quota} of ${name} is nearly exhausted; queries over it get 503`,
      outcome: 'advice',
      fix: `ALTER QUOTA ${quoteIdentifier(quota)} FOR INTERVAL 1 hour MAX execution_time = 7200;`,
    };
  });
};

const QUOTAS = `SELECT quota_name, max(greatest(ifNull(queries / max_queries, 0), ifNull(execution_time / max_execution_time, 0),
  ifNull(read_rows / max_read_rows, 0))) FROM system.quota_usage
WHERE coalesce(toFloat64(max_queries), max_execution_time, toFloat64(max_read_rows)) IS NOT NULL GROUP BY quota_name`;

function noQuota(user: string): ServerFinding {
  return {
    name: `${user} has no quota`,
    outcome: 'advice',
    fix: `CREATE QUOTA millrace_consumer FOR INTERVAL 1 hour MAX queries = 100000, execution_time = 3600 TO ${user};`,
  };
}

function sharedUser({ name }: ServerUser): ServerFinding {
  return {
    name: `consumer queries run as ${name}, the same user as saved queries`,
    outcome: 'advice',
    fix: `CREATE USER millrace_consumer IDENTIFIED WITH sha256_password BY '…'; then set CLICKHOUSE_CONSUMER_USER`,
  };
}

const CHECKS: readonly Check[] = [checkVersion, checkAnalyzer, checkSettings, checkGrants, checkPolicies];

/** The engine's message names the missing privilege: `…, it's necessary to have the grant SHOW QUOTAS ON *.*`. */
function uncheckable({ name }: ServerUser, error: unknown): ServerFinding {
  if (!(error instanceof EngineError) || isAway(error)) throw error;
  const grant = /necessary to have the grant ([\w ]+(?:\([^)]*\))? ON [\w*]+(?:\.[\w*]+)?)/.exec(
    error.message,
  )?.[1];
  return {
    name: `${name} cannot read everything that is checked: ${error.message.split('\n', 1)[0]?.slice(0, 200)}`,
    outcome: 'advice',
    ...(grant === undefined ? {} : { fix: `GRANT ${grant} TO ${name};` }),
  };
}
