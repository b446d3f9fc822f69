// The output settings that callers may send: values of each, canonical form, and that the engine knows them all.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_OUTPUT } from '../../../src/service/engine/settings.ts';
import { ENGINE_FORMATS, engineFormatNamed } from '../../../src/service/formats/clickhouse-formats.ts';
import { contentTypeOf, formatKey } from '../../../src/service/formats/formats.ts';
import {
  isOutputSetting,
  OUTPUT_SETTINGS,
  outputSettingFault,
  withOutputSettings,
} from '../../../src/service/formats/output-settings.ts';

let folder: string;
let session: Session;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-output-'));
  session = new Session(join(folder, 'data'));
});
afterAll(async () => {
  session.close();
  await rm(folder, { recursive: true, force: true });
});

async function rows(sql: string): Promise<readonly (readonly string[])[]> {
  const lines = (await session.queryAsync(sql, { format: 'TSVRaw' })).text().split('\n').slice(0, -1);
  return lines.map((line) => line.split('\t'));
}

describe('the engine', () => {
  test('has every format, with this Content-Type', async () => {
    const known = new Map(
      (await rows('SELECT name, content_type FROM system.formats WHERE is_output')).map(
        ([name = '', type]) => [name, type],
      ),
    );
    expect(ENGINE_FORMATS.map(({ name }) => [name, known.get(name)])).toEqual(
      ENGINE_FORMATS.map(({ name, contentType }) => [name, contentType]),
    );
  });

  test('has every setting', async () => {
    const known = new Set((await rows('SELECT name FROM system.settings')).map(([name]) => name));
    expect(OUTPUT_SETTINGS.filter(({ name }) => !known.has(name))).toEqual([]);
  });

  test('has these defaults', async () => {
    const defaults = Object.fromEntries(await rows('SELECT name, default FROM system.settings'));
    const stated = Object.entries(DEFAULT_OUTPUT).map(([name, value]) => [name, String(value)]);
    expect(stated).toEqual(Object.keys(DEFAULT_OUTPUT).map((name) => [name, defaults[name]]));
  });

  test('accepts every value as an argument of a connection', async () => {
    const failures: string[] = [];
    for (const { name } of OUTPUT_SETTINGS) {
      const valid = VALUES.filter((each) => outputSettingFault(name, each) === undefined);
      for (const value of valid.slice(0, 16)) {
        const { settings } = withOutputSettings({ engine: 'TSV' }, [[name, value]]);
        const sent = settings[name] ?? '';
        const read = await settingOf(name, sent).catch(String);
        if (read !== sent) failures.push(`${name}=${sent} became ${read}`);
      }
    }
    expect(failures).toEqual([]);
  });
});

/** The value of a setting on a connection with this argument. */
async function settingOf(name: string, value: string): Promise<string> {
  const connection = new Session(join(folder, 'data'), { connectionArgs: [`--${name}=${value}`] });
  try {
    const sql = `SELECT value FROM system.settings WHERE name = '${name}'`;
    return (await connection.queryAsync(sql, { format: 'TSVRaw' })).text().replace(/\r?\n(?:\n.*)?$/s, '');
  } finally {
    connection.close();
  }
}

/** Some of which each setting accepts one. */
const VALUES = [
  ...'0 1 true 17 1000 ; | a=b it\'s é \\N --x "'.split(' '),
  ' ',
  '\t',
  '',
  ...'UTF-8 ASCII iso simple unix_timestamp kusto numeric none zstd lz4_frame lz4 gzip brotli snappy zlib'.split(
    ' ',
  ),
  ...'null deflate 1.0 2.4 2.6 2.latest bin str ext'.split(' '),
];

test.each([
  ['output_format_json_quote_64bit_integers', '2', 'must be 0 or 1'],
  ['output_format_pretty_color', '1', 'must be 0'],
  ['output_format_pretty_max_rows', '100001', 'must be an integer from 0 to 100000'],
  ['output_format_pretty_max_rows', '1e3', 'must be an integer from 0 to 100000'],
  ['format_csv_delimiter', '"', 'must be one ASCII character other than a quote or a line break'],
  ['format_csv_delimiter', ';;', 'must be one ASCII character other than a quote or a line break'],
  ['format_csv_null_representation', 'a\nb', 'must be at most 16 printable characters'],
  ['date_time_output_format', 'ISO', 'must be simple, iso, unix_timestamp'],
  ['format_schema', 'x', 'is not supported'],
  ['max_memory_usage', '0', 'is not supported'],
  ['readonly', '0', 'is not supported'],
])('%s=%s %s', (name, value, fault) => {
  expect(outputSettingFault(name, value)).toBe(fault);
  expect(() => withOutputSettings({ engine: 'JSON' }, [[name, value]])).toThrow(RangeError);
});

test('equal settings are one format', () => {
  const one = withOutputSettings({ engine: 'JSON' }, [
    ['output_format_json_quote_denormals', 'TRUE'],
    ['date_time_output_format', 'iso'],
  ]);
  const other = withOutputSettings({ engine: 'JSON' }, [
    ['date_time_output_format', 'iso'],
    ['output_format_json_quote_denormals', '1'],
  ]);
  expect(formatKey(one)).toBe(formatKey(other));
  const keys = [
    one,
    { ...one, engine: 'JSONCompact' },
    { ...one, settings: {} },
    { ...one, resultRows: { max: 1, overflow: 'throw' as const } },
    { ...one, resultRows: { max: 1, overflow: 'break' as const } },
    'json' as const,
  ];
  expect(new Set(keys.map(formatKey)).size).toBe(keys.length);
});

test('names are those of ClickHouse in any case of letters', () => {
  const native = { name: 'Native', contentType: 'application/octet-stream' };
  for (const name of ['Native', 'native', 'NATIVE', 'nAtIvE'])
    expect(engineFormatNamed(name)).toEqual(native);
  for (const { name } of ENGINE_FORMATS) expect(engineFormatNamed(name.toUpperCase())?.name).toBe(name);
  expect(['toString', '', 'MySQLWire', 'RawBLOB', 'Native '].map(engineFormatNamed)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
  expect(contentTypeOf({ engine: 'XML', settings: {} })).toBe('application/xml; charset=UTF-8');
  expect(isOutputSetting('constructor')).toBe(false);
});
