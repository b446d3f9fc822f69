// Settings that clients send, in the URL, in SETTINGS and by SET: a closed table, those of the engine and a few of clients. Sessions
// hold none of them.
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { engineFormatNamed, type EngineFormat } from '../../formats/clickhouse-formats.ts';
import {
  isOutputSetting,
  OUTPUT_SETTINGS,
  outputSettingFault,
  withOutputSettings,
} from '../../formats/output-settings.ts';
import { hasBinaryTypes, WITH_ZONES } from '../../request/formats/native/blocks.ts';
import { ENGINE_SETTINGS_BY_NAME } from './setting-kinds.ts';

/** Why a setting may have a value: it changes nothing that a caller could see, or only what they agree to. */
type Accepted =
  | { readonly kind: 'ignored' }
  | { readonly kind: 'applied' }
  | { readonly kind: 'only'; readonly values: readonly string[] };

interface Known {
  readonly accepted: Accepted;
  /** As system.settings shows it. */
  readonly value: string;
  readonly type: string;
  readonly description: string;
}

const IGNORED: Accepted = { kind: 'ignored' };
const APPLIED: Accepted = { kind: 'applied' };
const only = (...values: readonly string[]): Accepted => ({ kind: 'only', values });

const NO_EFFECT = 'Accepted, without effect.';
const OWN_LIMITS = 'Accepted, without effect: the limits of the database apply.';
export const IN_FORCE_ONLY = 'Queries run with this value: another one would change them.';

/** Of clients and of the protocol: the engine has no such settings. */
const OF_CLIENTS = 'keep_alive_timeout wait_end_of_query stacktrace final_or_default custom_jdbc_config';

const TABLE: ReadonlyMap<string, Known> = new Map([
  ...[...ENGINE_SETTINGS_BY_NAME.values()].map(({ name, type, value, withoutEffect }) =>
    withoutEffect === undefined
      ? known(name, only(value), IN_FORCE_ONLY, [value, type])
      : known(name, IGNORED, withoutEffect === 'limit' ? OWN_LIMITS : NO_EFFECT, [value, type]),
  ),
  ...OF_CLIENTS.split(' ').map((name) => known(name, IGNORED, NO_EFFECT, ['', 'String'])),
  ...OUTPUT_SETTINGS.map(({ name, values }) => {
    const { type, value } = ENGINE_SETTINGS_BY_NAME.get(name) ?? { type: 'String', value: '' };
    return known(name, APPLIED, `Applied; must be ${values}.`, [value, type]);
  }),
  known('max_result_rows', APPLIED, 'At most the rows of the database.', ['0', 'UInt64']),
  known('result_overflow_mode', APPLIED, 'What happens beyond max_result_rows: throw or break.', [
    'throw',
    'OverflowMode',
  ]),
  known('limit', APPLIED, 'As max_result_rows with break.', ['0', 'UInt64']),
  known('default_format', APPLIED, 'The format of queries without FORMAT.', ['TabSeparated', 'String']),
  known('max_execution_time', APPLIED, 'Seconds; at most those of the database.', ['0', 'Seconds']),
  known('describe_compact_output', APPLIED, 'With 1, DESCRIBE has names and types only.', ['0', 'Bool']),
  known('describe_include_subcolumns', only('0'), 'DESCRIBE has columns only.', ['0', 'Bool']),
  known('session_timezone', only('', 'UTC', 'Etc/UTC'), 'Times are in UTC: convert them with toTimeZone.', [
    '',
    'Timezone',
  ]),
  known('timezone', only('', 'UTC', 'Etc/UTC'), 'Times are in UTC: convert them with toTimeZone.', [
    '',
    'Timezone',
  ]),
  known('offset', only('0'), 'Write OFFSET in the query.', ['0', 'UInt64']),
  known(
    'join_use_nulls',
    only('0'),
    'Without effect in queries without JOIN; in others, write LEFT JOIN with toNullable of the columns.',
    ['0', 'Bool'],
  ),
  known('union_default_mode', only('', 'ALL', 'DISTINCT'), 'Write UNION ALL or UNION DISTINCT.', [
    '',
    'SetOperationMode',
  ]),
  known('final', only('0'), 'Tables of databases have no duplicates to merge.', ['0', 'Bool']),
  known('group_by_use_nulls', only('0'), NO_EFFECT, ['0', 'Bool']),
  known('cast_keep_nullable', only('0'), 'Write CAST to a Nullable type.', ['0', 'Bool']),
  known('prefer_column_name_to_alias', only('0'), 'Give aliases names that no column has.', ['0', 'Bool']),
  known('aggregate_functions_null_for_empty', only('0'), 'Write the combinator OrNull.', ['0', 'Bool']),
  known('data_type_default_nullable', only('0'), NO_EFFECT, ['0', 'Bool']),
  known('additional_table_filters', only('', '{}'), 'Write the condition as WHERE.', ['{}', 'Map']),
  known('additional_result_filter', only(''), 'Write the condition as WHERE.', ['', 'String']),
]);

function known(
  name: string,
  accepted: Accepted,
  description: string,
  [value, type]: readonly [value: string, type: string],
): readonly [string, Known] {
  return [name, { accepted, description, value, type }];
}

export interface ListedSetting {
  readonly name: string;
  readonly value: string;
  readonly type: string;
  readonly description: string;
  /** `applied`, `ignored`, or the values that are accepted. */
  readonly effect: string;
}

/** All settings that are accepted, in order of their names: the rows of system.settings. */
export const LISTED_SETTINGS: readonly ListedSetting[] = [...TABLE]
  .map(([name, { accepted, ...rest }]) => ({
    name,
    ...rest,
    effect:
      accepted.kind === 'only' ? accepted.values.map((value) => value || "''").join(', ') : accepted.kind,
  }))
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Settings as sent, checked. */
export interface ReadSettings {
  readonly output: readonly (readonly [name: string, value: string])[];
  readonly resultRows: EngineFormat['resultRows'];
  /** Seconds. */
  readonly time: number | undefined;
  readonly defaultFormat: string | undefined;
  /** DESCRIBE has names and types only. */
  readonly isCompact: boolean;
}

/**
 * Reads settings; of one sent twice, the later counts. Throws Problem `clickhouse.setting_unknown`, `clickhouse.setting_read_only` or
 * `clickhouse.setting_invalid`.
 */
export function readSettings(sent: Iterable<readonly [name: string, value: string]>): ReadSettings {
  const values = new Map([...sent].filter(([name, value]) => !isDefault(name, value)));
  for (const [name, value] of values) checkSetting(name, value);
  const applied = (name: string): string | undefined => values.get(name);
  const most = [countOf('max_result_rows', applied('max_result_rows')), countOf('limit', applied('limit'))];
  const max = Math.min(...most.map((each) => (each === undefined || each === 0 ? Infinity : each)));
  const overflow = applied('result_overflow_mode') ?? 'throw';
  if (overflow !== 'throw' && overflow !== 'break')
    throw invalid('result_overflow_mode', 'must be throw or break');
  const isBreak = overflow === 'break' || (most[1] ?? 0) > 0;
  const time = secondsOf(applied('max_execution_time'));
  return {
    output: [...values].filter(([name]) => isOutputSetting(name)),
    resultRows: max === Infinity ? undefined : { max, overflow: isBreak ? 'break' : 'throw' },
    time: time === undefined || time === 0 ? undefined : time,
    defaultFormat: applied('default_format'),
    isCompact: ['1', 'true'].includes(applied('describe_compact_output') ?? ''),
  };
}

/** `DEFAULT`, or what system.settings lists for an output setting: some clients send back what it lists. */
function isDefault(name: string, value: string): boolean {
  if (value.toUpperCase() === 'DEFAULT') return TABLE.has(name);
  return (
    isOutputSetting(name) &&
    (value === '' || isSame(TABLE.get(name), value)) &&
    outputSettingFault(name, value) !== undefined
  );
}

const NUMERIC = /Int|Float|Double|econds/;

/** Returns whether a value is the one in force, however it is written. */
function isSame(setting: Known | undefined, value: string): boolean {
  if (setting === undefined) return false;
  const { type, value: own } = setting;
  if (type.startsWith('Bool')) return normal(value) === normal(own);
  const isNumber = NUMERIC.test(type) && own !== '' && value !== '';
  return value === own || (isNumber && Number(value) === Number(own));
}

function checkSetting(name: string, value: string): void {
  const setting = TABLE.get(name);
  const shown = name.slice(0, 100);
  if (setting === undefined) {
    throw new Problem('clickhouse.setting_unknown', {
      detail: `Setting ${shown} is not supported`,
      hint: [
        didYouMean(nearest(shown, TABLE.keys())),
        'The table system.settings lists the settings that are accepted.',
      ]
        .filter((each) => each !== undefined)
        .join(' '),
    });
  }
  const { accepted, description } = setting;
  if (accepted.kind === 'only' && !accepted.values.includes(normal(value)) && !isSame(setting, value)) {
    throw new Problem('clickhouse.setting_read_only', {
      detail: `Setting ${shown} cannot be changed to ${value.slice(0, 60)}`,
      hint:
        description === IN_FORCE_ONLY
          ? `Leave it out: queries run with ${setting.value || "''"}.`
          : description,
    });
  }
  const fault = isOutputSetting(name) ? outputSettingFault(name, value) : undefined;
  if (fault !== undefined) throw invalid(name, fault);
}

function normal(value: string): string {
  const lower = value.toLowerCase();
  if (lower === 'false') return '0';
  return lower === 'true' ? '1' : value;
}

const INTEGER = /^\d{1,20}$/;

function countOf(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!INTEGER.test(value)) throw invalid(name, 'must be a number of rows');
  return Number(value);
}

function secondsOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(seconds)) throw invalid('max_execution_time', 'must be a number of seconds');
  return seconds;
}

function invalid(name: string, fault: string): Problem {
  return new Problem('clickhouse.setting_invalid', { detail: `Setting ${name} ${fault}` });
}

export interface AskedFormat {
  readonly name: string;
  /** Of the native protocol; 0: none. */
  readonly protocolVersion: number;
}

/** The format of a result, and its Content-Type. Throws Problem `format.not_acceptable`. */
export function formatOf(
  { name, protocolVersion }: AskedFormat,
  { output, resultRows }: Pick<ReadSettings, 'output' | 'resultRows'>,
): { readonly format: EngineFormat; readonly contentType: string } {
  const named = engineFormatNamed(name);
  if (named === undefined) {
    throw new Problem('format.not_acceptable', { detail: `Format ${name.slice(0, 100)} is not supported` });
  }
  const limited = resultRows === undefined ? {} : { resultRows };
  const format = withOutputSettings({ engine: named.name, ...limited }, output);
  const hasZones = named.name === 'Native' && protocolVersion >= WITH_ZONES;
  if (named.name === 'Native' && protocolVersion > 0 && hasBinaryTypes(format)) throw binaryTypes();
  return { format: hasZones ? { ...format, hasZones } : format, contentType: named.contentType };
}

function binaryTypes(): Problem {
  return new Problem('format.not_acceptable', {
    detail: 'The format Native has no types in binary for clients with a protocol version',
    hint: 'Leave out output_format_native_encode_types_in_binary_format.',
  });
}
