// Every code of the table of changes, from files before and after; and every schema key, classified as relevant or not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { COST_CHANGES } from '../../../src/cli/compare/cost-changes.ts';
import { ROLLUP_CHANGES } from '../../../src/cli/compare/rollup-changes.ts';
import { VIEW_CHANGES } from '../../../src/cli/compare/view-changes.ts';
import { CHANGES, type ChangeCode } from '../../../src/cli/compare/changes.ts';
import { compareContracts } from '../../../src/cli/compare/compare.ts';
import type { EndpointColumns } from '../../../src/cli/compare/contract.ts';
import {
  changesBetween,
  codesOf,
  compareFiles,
  fileOf,
  ID,
  openComparer,
  sideOf,
  type Keys,
} from './fixture.ts';

const QUERY = 'WITH t AS (SELECT a FROM logs.t WHERE p = @p) SELECT a FROM t';
const BASE: Keys = {
  query: QUERY,
  parameters: '{ p: { type: String, required: true } }',
  tenancy: '{ none: public }',
};
const parameter = (spec: string): Keys => ({ parameters: `{ p: { ${spec} } }` });
const pair = (key: string, before: string, after: string): readonly [Keys, Keys] => [
  { [key]: before },
  { [key]: after },
];
const both = (spec: string, more: string): readonly [Keys, Keys] => [
  parameter(spec),
  parameter(`${spec}, ${more}`),
];
/** Of a file whose parameter p separates tenants. */
const tenant = (before: string, after: string): Row['turn'] => [
  { tenancy: '{ parameter: p }', ...parameter(before) },
  { tenancy: '{ parameter: p }', ...parameter(after) },
];
const tenancy = (before: string, after: string): Row['turn'] => [
  { tenancy: `{ parameter: p, ${before} }` },
  { tenancy: `{ parameter: p, ${after} }` },
];
const TWO: Keys = {
  query: 'SELECT a FROM logs.t WHERE p = @p AND q = @q',
  parameters: '{ p: { type: String, required: true }, q: { type: String, required: true } }',
};
const OPEN = '{ enabled: true }';
const open = (query: string): Keys => ({ sandbox: OPEN, query });

const TWO_TABLES: Keys = {
  query:
    'WITH t AS (SELECT a FROM logs.t WHERE p = @p), u AS (SELECT a FROM logs.t WHERE p = @p) SELECT a FROM t, u',
};

/** A query that is ordered by a choice. */
const sorted = (choices: string, more = 'default: a'): Keys => ({
  query: 'SELECT a FROM logs.t WHERE p = @p ORDER BY @o',
  parameters: `{ p: { type: String, required: true }, o: { choices: ${choices}, ${more} } }`,
});

/** A query with an optional part. */
const partly = (part: string): Keys => ({
  query: `SELECT a FROM logs.t WHERE p = @p ${part}`,
  parameters: '{ p: { type: String, required: true }, s: { type: String } }',
});

interface Row {
  readonly codes: readonly ChangeCode[];
  /** The keys of the schema that it turns. */
  readonly keys: readonly string[];
  readonly turn: readonly [before: Keys, after: Keys];
}

const row = (codes: ChangeCode | readonly ChangeCode[], keys: string, turn: Row['turn']): Row => ({
  codes: [codes].flat().toSorted(),
  keys: keys.split(' '),
  turn,
});

const TYPE = 'Parameter.type';
const INT = 'type: Int16, required: true';
const STRING = 'type: String, required: true';
const CACHE = '{ ttl: 60 }';
const PII = '{ redact: true }';
const WORKLOADS = '{ enabled: true, workloads: [a, b] }';

const watched = (more = ''): string =>
  `{ as: x, every: 1m, when: a > 1, notify: [c]${more === '' ? '' : `, ${more}`} }`;
const WATCH_TEST =
  '{ name: a, from: 2024-01-01T00:00:00Z, until: 2024-01-01T01:00:00Z, fixtures: {}, expect: [] }';
const DEPRECATED = '{ since: 2024-01-01, sunset: 2024-06-01 }';
const tried = (shadow: string): Keys => ({ version: '2', rollout: `{ shadow: ${shadow} }` });
const CHOICE_ROWS: readonly Row[] = [
  row('parameter.enum_widened', 'Parameter.choices', [sorted('{ a: a }'), sorted('{ a: a, b: b }')]),
  row('parameter.enum_narrowed', 'Parameter.choices', [sorted('{ a: a, b: b }'), sorted('{ a: a }')]),
  row(['query.changed', 'query.not_compared'], 'Parameter.choices', [
    sorted('{ a: a, b: b }'),
    sorted('{ a: a, b: b DESC }'),
  ]),
  row('parameter.type_widened', 'Parameter.multiple', [
    sorted('{ a: a, b: b }'),
    sorted('{ a: a, b: b }', 'default: a, multiple: true'),
  ]),
  row('parameter.type_narrowed', 'Parameter.multiple', [
    sorted('{ a: a, b: b }', 'default: a, multiple: true'),
    sorted('{ a: a, b: b }'),
  ]),
  row(['query.changed', 'query.not_compared'], 'query', [
    partly('/* if @s */ AND s = @s /* end */'),
    partly('/* if @s */ AND s != @s /* end */'),
  ]),
  row(['query.changed', 'query.not_compared'], 'query', [
    partly('AND s = @s'),
    partly('/* if @s */ AND s = @s /* end */'),
  ]),
];

const ROWS: readonly Row[] = [
  row('version.numbered', 'version', [{}, { version: '1' }]),
  row('version.changed', 'version', pair('version', '1', '2')),
  row('version.changed', 'version', [{ version: '1' }, {}]),
  row('deprecated.added', 'deprecated Deprecated.since', [{}, { deprecated: DEPRECATED }]),
  row('deprecated.removed', 'deprecated', [{ deprecated: DEPRECATED }, {}]),
  row(
    'deprecated.sunset_earlier',
    'Deprecated.sunset',
    pair('deprecated', DEPRECATED, '{ since: 2024-01-01, sunset: 2024-05-01 }'),
  ),
  row(
    'deprecated.sunset_earlier',
    'Deprecated.sunset',
    pair('deprecated', '{ since: 2024-01-01 }', DEPRECATED),
  ),
  row(
    'deprecated.sunset_later',
    'Deprecated.sunset',
    pair('deprecated', DEPRECATED, '{ since: 2024-01-01, sunset: 2024-07-01 }'),
  ),
  row(
    'deprecated.changed',
    'Deprecated.successor',
    pair('deprecated', '{ since: 2024-01-01 }', '{ since: 2024-01-01, successor: two }'),
  ),
  row(
    'deprecated.changed',
    'Deprecated.reason',
    pair('deprecated', '{ since: 2024-01-01 }', '{ since: 2024-01-01, reason: slow }'),
  ),
  row([], 'default', [{ version: '1' }, { version: '1', default: 'true' }]),
  row('rollout.raised', 'rollout Rollout.shadow', [{ version: '2' }, tried('5%')]),
  row('rollout.lowered', 'Rollout.shadow', [tried('5%'), tried('1%')]),
  row('rollout.tolerance_changed', 'Rollout.tolerance', [
    tried('5%'),
    { version: '2', rollout: '{ shadow: 5%, tolerance: 0.1 }' },
  ]),
  row('endpoint.renamed', 'name', pair('name', 'one', 'two')),
  row('endpoint.id_changed', 'id', pair('id', ID, ID.replace('1', '2'))),
  row('query.changed', 'query', [{}, { query: `${QUERY} ORDER BY a` }]),
  row(['query.changed', 'tenant.not_confined'], 'query', [
    {},
    { query: QUERY.replace(/FROM t$/, 'FROM logs.t') },
  ]),
  row('query.rewritten', 'query', [{}, { query: QUERY.replace('p = @p', '(@p == p)') }]),
  row(['query.changed', 'query.settings_changed'], 'query', [
    {},
    { query: `${QUERY} SETTINGS join_use_nulls = 1` },
  ]),
  row(['query.changed', 'query.limit_raised'], 'query', [
    { query: `${QUERY} LIMIT 5` },
    { query: `${QUERY} LIMIT 6` },
  ]),
  row(['query.changed', 'query.window_widened'], 'query', [
    { query: QUERY.replace('@p', '@p AND ts > now() - INTERVAL 1 DAY') },
    { query: QUERY.replace('@p', '@p AND ts > now() - INTERVAL 7 DAY') },
  ]),
  row(['column.exposes_more', 'query.changed'], 'query', [
    { query: QUERY.replace('SELECT a FROM logs.t', 'SELECT cityHash64(a) AS a FROM logs.t') },
    {},
  ]),
  row(['query.changed', 'query.source_added'], 'query', [
    {},
    { query: QUERY.replace(/FROM t$/, 'FROM t, logs.u') },
  ]),
  row(['parameter.removed', 'query.changed', 'tenant.filter_removed'], 'query parameters', [
    {
      query: 'SELECT a FROM logs.t WHERE p = @p AND q >= @q',
      parameters: '{ p: { type: String }, q: { type: String } }',
    },
    { query: 'SELECT a FROM logs.t WHERE p = @p', parameters: '{ p: { type: String } }' },
  ]),
  row(['query.changed', 'query.rows_removed', 'tenant.filter_changed'], 'query', [
    { query: QUERY.replace('p = @p', 'q >= @p') },
    { query: QUERY.replace('p = @p', 'q <= @p') },
  ]),
  row(['parameter.removed', 'query.changed', 'tenant.not_confined'], 'query parameters', [
    {
      query: 'SELECT a FROM logs.t WHERE p = @p AND q = @q',
      parameters: '{ p: { type: String }, q: { type: String } }',
    },
    { query: 'SELECT a FROM logs.t WHERE q = @q', parameters: '{ q: { type: String } }' },
  ]),
  row(['query.changed', 'tenant.not_confined'], 'query', [{}, { query: QUERY.replace('p = @p', 'p >= @p') }]),
  row(['parameter.added_required', 'query.changed', 'query.rows_removed'], 'parameters', [
    {},
    { query: QUERY.replace('@p', '@p AND q = @q'), parameters: `{ p: { ${STRING} }, q: { ${STRING} } }` },
  ]),
  row(['parameter.added_optional', 'query.changed', 'query.rows_removed'], 'parameters', [
    {},
    { query: QUERY.replace('@p', '@p AND q = @q'), parameters: `{ p: { ${STRING} }, q: { type: String } }` },
  ]),
  row(['parameter.previously_ignored', 'query.changed', 'query.rows_removed'], 'parameters', [
    { unknown_parameters: 'ignore' },
    {
      unknown_parameters: 'ignore',
      query: QUERY.replace('@p', '@p AND q = @q'),
      parameters: `{ p: { ${STRING} }, q: { type: String } }`,
    },
  ]),
  row('parameter.now_required', 'Parameter.required', [parameter('type: String'), parameter(STRING)]),
  row('parameter.now_required', 'Parameter.required', [
    parameter('type: String, default: x'),
    parameter(STRING),
  ]),
  row('parameter.now_optional', 'Parameter.required', [parameter(STRING), parameter('type: String')]),
  row('parameter.now_optional', 'Parameter.required', [
    parameter(STRING),
    parameter('type: String, default: x'),
  ]),
  row('parameter.default_changed', 'Parameter.default', [
    parameter('type: String'),
    parameter('type: String, default: x'),
  ]),
  row('parameter.default_changed', 'Parameter.default', [
    parameter('type: String, default: y'),
    parameter('type: String, default: x'),
  ]),
  row('parameter.default_changed', 'Parameter.default', [
    parameter('type: DateTime, default: now-1h'),
    parameter('type: DateTime, default: now-2h'),
  ]),
  row('parameter.rounding_changed', 'Parameter.round', both('type: DateTime', 'round: 60s')),
  row('parameter.rounding_changed', 'Parameter.bound', both('type: DateTime', 'bound: end')),
  ...CHOICE_ROWS,
  row('parameter.type_widened', TYPE, [parameter('type: UInt8'), parameter('type: UInt16')]),
  row('parameter.type_widened', TYPE, [
    parameter('type: UInt8, default: 1, max: 9'),
    parameter('type: Int32, default: 1, max: 9'),
  ]),
  row('parameter.type_narrowed', TYPE, [parameter('type: DateTime64(6)'), parameter('type: DateTime64(3)')]),
  row('parameter.type_changed', TYPE, [parameter('type: UInt8'), parameter('type: String')]),
  row('parameter.enum_widened', 'Parameter.enum', [
    parameter(`${STRING}, enum: [a]`),
    parameter(`${STRING}, enum: [b, a]`),
  ]),
  row('parameter.enum_widened', 'Parameter.enum', [parameter(`${STRING}, enum: [a]`), parameter(STRING)]),
  row('parameter.enum_narrowed', 'Parameter.enum', both(STRING, 'enum: [a]')),
  row(['parameter.enum_narrowed', 'parameter.enum_widened'], 'Parameter.enum', [
    parameter(`${STRING}, enum: [a, b]`),
    parameter(`${STRING}, enum: [a, c]`),
  ]),
  row('parameter.range_narrowed', 'Parameter.min', both(INT, 'min: 0')),
  row('parameter.range_narrowed', 'Parameter.max', [
    parameter(`${INT}, max: 9`),
    parameter(`${INT}, max: 8`),
  ]),
  row('parameter.range_widened', 'Parameter.min', [
    parameter(`${INT}, min: 9`),
    parameter(`${INT}, min: "8"`),
  ]),
  row('parameter.range_widened', 'Parameter.max', [parameter(`${INT}, max: 9`), parameter(INT)]),
  row('parameter.length_narrowed', 'Parameter.max_length', both(STRING, 'max_length: 8191')),
  row('parameter.length_widened', 'Parameter.max_length', both(STRING, 'max_length: 8193')),
  row('parameter.length_narrowed', 'Parameter.min_length', both(STRING, 'min_length: 1')),
  row('parameter.length_widened', 'Parameter.min_length', [
    parameter(`${STRING}, min_length: 1`),
    parameter(STRING),
  ]),
  row('parameter.pattern_changed', 'Parameter.pattern', both(STRING, 'pattern: a+')),
  row('parameter.pattern_changed', 'Parameter.pattern', [
    parameter(`${STRING}, pattern: a`),
    parameter(`${STRING}, pattern: a|b`),
  ]),
  row('parameter.pattern_removed', 'Parameter.pattern', [
    parameter(`${STRING}, pattern: a`),
    parameter(STRING),
  ]),
  row('parameter.format_added', 'Parameter.format', both(STRING, 'format: regex')),
  row('parameter.format_removed', 'Parameter.format', [
    parameter(`${STRING}, format: regex`),
    parameter(STRING),
  ]),
  row('unknown_parameters.rejected', 'unknown_parameters', pair('unknown_parameters', 'ignore', 'reject')),
  row('unknown_parameters.ignored', 'unknown_parameters', pair('unknown_parameters', '', 'ignore')),
  row('int64.changed', 'int64', pair('int64', 'number', 'string')),
  row('result_shape.changed', 'result_shape', pair('result_shape', 'standard', 'bigquery')),
  row('max_rows.lowered', 'max_rows', pair('max_rows', '', '999')),
  row('max_rows.raised', 'max_rows', pair('max_rows', '', '1001')),
  row('page.added', 'page', pair('page', '', '{ by: [a] }')),
  row('page.removed', 'page', pair('page', '{ by: [a] }', '')),
  row('page.keys_changed', 'Page.by', pair('page', '{ by: [a] }', '{ by: [a DESC] }')),
  row('page.size_changed', 'Page.size', pair('page', '{ by: [a], size: 10 }', '{ by: [a], size: 20 }')),
  row('page.max_lowered', 'Page.max', pair('page', '{ by: [a], max: 300 }', '{ by: [a], max: 200 }')),
  row('page.max_raised', 'Page.max', pair('page', '{ by: [a], max: 200 }', '{ by: [a], max: 300 }')),
  row('fresh.added', 'fresh', pair('fresh', '', '{ column: a, within: 9 }')),
  row('fresh.removed', 'fresh', pair('fresh', '{ column: a, within: 9 }', '')),
  row(
    'fresh.column_changed',
    'Fresh.column',
    pair('fresh', '{ column: a, within: 9 }', '{ column: b, within: 9 }'),
  ),
  row(
    'fresh.within_lowered',
    'Fresh.within',
    pair('fresh', '{ column: a, within: 9 }', '{ column: a, within: 8 }'),
  ),
  row(
    'fresh.within_raised',
    'Fresh.within',
    pair('fresh', '{ column: a, within: 8 }', '{ column: a, within: 9 }'),
  ),
  row(
    'fresh.error_added',
    'Fresh.otherwise',
    pair('fresh', '{ column: a, within: 9 }', '{ column: a, within: 9, otherwise: error }'),
  ),
  row(
    'fresh.error_removed',
    'Fresh.otherwise',
    pair('fresh', '{ column: a, within: 9, otherwise: error }', '{ column: a, within: 9 }'),
  ),
  row('watch.added', 'watch Watch.name', pair('watch', '', watched())),
  row('watch.removed', 'watch', pair('watch', watched(), '')),
  row('watch.key_changed', 'Watch.as', pair('watch', watched(), watched().replace('as: x', 'as: y'))),
  row('watch.channel_added', 'Watch.notify', pair('watch', watched(), watched().replace('[c]', '[c, d]'))),
  row('watch.channel_removed', 'Watch.notify', pair('watch', watched().replace('[c]', '[c, d]'), watched())),
  row('watch.every_lowered', 'Watch.every', pair('watch', watched(), watched().replace('1m', '30s'))),
  row('watch.changed', 'Watch.when', pair('watch', watched(), watched().replace('> 1', '> 2'))),
  ...[
    ['for', '5m'],
    ['group_by', '[a]'],
    ['params', '{ p: x }'],
    ['quiet', '1h'],
    ['no_data', 'notify'],
    ['resolve', 'false'],
    ['message', 'text {a}'],
  ].map(([key, value]) =>
    row(
      'watch.changed',
      `Watch.${key}`,
      pair(
        'watch',
        watched(),
        watched(`${key}: '${value}'`.replaceAll("'", value === 'text {a}' ? "'" : '')),
      ),
    ),
  ),
  row('live.added', 'live', pair('live', '', '{ every: 2 }')),
  row('live.removed', 'live', pair('live', '{ every: 2 }', '')),
  row('live.key_changed', 'Live.key', pair('live', '{ every: 2 }', '{ every: 2, key: [a] }')),
  row('live.every_lowered', 'Live.every', pair('live', '{ every: 2 }', '{ every: 1 }')),
  row('live.every_raised', 'Live.every', pair('live', '{ every: 2 }', '{ every: 3 }')),
  row('export.added', 'export', pair('export', '', '{ max_rows: 5000 }')),
  row('export.removed', 'export', pair('export', '{ max_rows: 5000 }', '')),
  row(
    'export.max_rows_lowered',
    'Export.max_rows',
    pair('export', '{ max_rows: 5000 }', '{ max_rows: 4000 }'),
  ),
  row(
    'export.max_rows_raised',
    'Export.max_rows',
    pair('export', '{ max_rows: 5000 }', '{ max_rows: 6000 }'),
  ),
  row(
    'export.format_added',
    'Export.formats',
    pair('export', '{ max_rows: 5000, formats: [csv] }', '{ max_rows: 5000, formats: [csv, arrow] }'),
  ),
  row(
    'export.format_removed',
    'Export.formats',
    pair('export', '{ max_rows: 5000, formats: [csv, arrow] }', '{ max_rows: 5000, formats: [csv] }'),
  ),
  row(
    'export.s3_added',
    'Export.to',
    pair('export', '{ max_rows: 5000 }', '{ max_rows: 5000, to: [download, s3] }'),
  ),
  row(
    'export.download_added',
    'Export.to',
    pair('export', '{ max_rows: 5000, to: [s3] }', '{ max_rows: 5000, to: [download, s3] }'),
  ),
  row(
    'export.place_removed',
    'Export.to',
    pair('export', '{ max_rows: 5000, to: [download, s3] }', '{ max_rows: 5000, to: [s3] }'),
  ),
  row(
    'export.keep_lowered',
    'Export.keep',
    pair('export', '{ max_rows: 5000 }', '{ max_rows: 5000, keep: 30min }'),
  ),
  row(
    'export.keep_raised',
    'Export.keep',
    pair('export', '{ max_rows: 5000 }', '{ max_rows: 5000, keep: 7d }'),
  ),
  row(
    'export.per_key_lowered',
    'Export.per_key',
    pair('export', '{ max_rows: 5000 }', '{ max_rows: 5000, per_key: 1 }'),
  ),
  row(
    'export.per_key_raised',
    'Export.per_key',
    pair('export', '{ max_rows: 5000 }', '{ max_rows: 5000, per_key: 3 }'),
  ),
  row('sandbox.table_removed', 'Sandbox.tables', [
    { ...TWO_TABLES, sandbox: '{ enabled: true, tables: [t, u] }' },
    { ...TWO_TABLES, sandbox: '{ enabled: true, tables: [t] }' },
  ]),
  row('sandbox.enabled', 'sandbox Sandbox.enabled', pair('sandbox', '', OPEN)),
  row('sandbox.disabled', 'Sandbox.enabled', pair('sandbox', OPEN, '{ enabled: false }')),
  row(
    'sandbox.language_added',
    'Sandbox.languages',
    pair('sandbox', '{ enabled: true, languages: [lql] }', OPEN),
  ),
  row(
    'sandbox.language_removed',
    'Sandbox.languages',
    pair('sandbox', OPEN, '{ enabled: true, languages: [lql] }'),
  ),
  row(
    'sandbox.dialect_added',
    'Sandbox.dialects',
    pair('sandbox', OPEN, '{ enabled: true, dialects: [clickhouse, bigquery] }'),
  ),
  row(
    'sandbox.dialect_removed',
    'Sandbox.dialects',
    pair('sandbox', '{ enabled: true, dialects: [clickhouse, bigquery] }', OPEN),
  ),
  row(
    'sandbox.dialects_reordered',
    'Sandbox.dialects',
    pair(
      'sandbox',
      '{ enabled: true, dialects: [clickhouse, bigquery] }',
      '{ enabled: true, dialects: [bigquery, clickhouse] }',
    ),
  ),
  row(
    'sandbox.function_allowed',
    'Sandbox.functions Sandbox.functions.allow',
    pair('sandbox', OPEN, '{ enabled: true, functions: { allow: [hostName] } }'),
  ),
  row(
    'sandbox.function_allowed',
    'Sandbox.functions.deny',
    pair('sandbox', '{ enabled: true, functions: { deny: [Lower] } }', OPEN),
  ),
  row(
    'sandbox.function_denied',
    'Sandbox.functions.deny',
    pair('sandbox', OPEN, '{ enabled: true, functions: { deny: [lower] } }'),
  ),
  row(['query.rewritten', 'sandbox.table_added'], 'query', [
    open(QUERY),
    open(QUERY.replace(') SELECT', '), u AS (SELECT a FROM logs.u WHERE p = @p) SELECT')),
  ]),
  row(
    ['query.rewritten', 'sandbox.default_table_changed', 'sandbox.table_added', 'sandbox.table_removed'],
    'query',
    [open(QUERY), open(QUERY.replace('t AS', 'u AS').replace(/t$/, 'u'))],
  ),
  row(['query.changed', 'query.rows_added'], 'query', [
    open(QUERY.replace('@p', '@p AND NOT internal')),
    open(QUERY),
  ]),
  row(['query.changed', 'query.rows_removed'], 'query', [
    open(QUERY),
    open(QUERY.replace('@p', '@p AND NOT internal')),
  ]),
  row('redaction.removed', 'pii Pii.redact', pair('pii', PII, '')),
  row('redaction.added', 'Pii.redact', pair('pii', '{ redact: false }', PII)),
  row('redaction.source_removed', 'Pii.at', pair('pii', '{ redact: true, at: source }', '{ redact: true }')),
  row(
    'redaction.min_group_lowered',
    'Pii.min_group',
    pair('pii', '{ redact: true, min_group: 20 }', '{ redact: true, min_group: 10 }'),
  ),
  row(
    'redaction.min_group_raised',
    'Pii.min_group',
    pair('pii', '{ redact: true }', '{ redact: true, min_group: 10 }'),
  ),
  row('redaction.source_added', 'Pii.at', pair('pii', '{ redact: true }', '{ redact: true, at: source }')),
  row('redaction.detector_removed', 'Pii.detectors', pair('pii', PII, '{ redact: true, detectors: [ip] }')),
  row('redaction.detector_removed', 'Pii.detectors', pair('pii', '', '{ redact: false, detectors: [ip] }')),
  row(
    'redaction.detector_added',
    'Pii.detectors',
    pair('pii', PII, '{ redact: true, detectors: [ip, email, card] }'),
  ),
  row(
    'redaction.column_rule_removed',
    'Pii.columns',
    pair('pii', '{ redact: true, columns: { a.b: mask } }', PII),
  ),
  row(
    'redaction.column_rule_weakened',
    'Pii.columns',
    pair('pii', '{ redact: false, columns: { a: mask } }', '{ redact: false, columns: { a: hash } }'),
  ),
  row(
    'redaction.column_rule_added',
    'Pii.columns',
    pair('pii', '{ redact: true, columns: { a: hash } }', '{ redact: true, columns: { A: mask } }'),
  ),
  row(
    'redaction.column_rule_added',
    'Pii.columns',
    pair('pii', '{ redact: true, columns: { a.b: mask } }', '{ redact: true, columns: { a: mask } }'),
  ),
  row('redaction.column_dropped', 'Pii.columns', pair('pii', PII, '{ redact: true, columns: { a: drop } }')),
  row('redaction.kind_changed', 'Pii.kind', pair('pii', PII, '{ redact: true, kind: true }')),
  row('cache.enabled', 'cache Cache.ttl', pair('cache', 'disabled', CACHE)),
  row('cache.disabled', 'cache', pair('cache', CACHE, '')),
  row('cache.ttl_raised', 'Cache.ttl', pair('cache', CACHE, '{ ttl: 61 }')),
  row('cache.ttl_lowered', 'Cache.ttl', pair('cache', CACHE, '{ ttl: 59 }')),
  row('cache.until_added', 'Cache.until', pair('cache', CACHE, '{ ttl: 60, until: data }')),
  row('cache.until_removed', 'Cache.until', pair('cache', '{ ttl: 60, until: data }', CACHE)),
  row(
    'cache.check_raised',
    'Cache.check',
    pair('cache', '{ ttl: 60, until: data }', '{ ttl: 60, until: data, check: 3 }'),
  ),
  row(
    'cache.check_lowered',
    'Cache.check',
    pair('cache', '{ ttl: 60, until: data }', '{ ttl: 60, until: data, check: 1 }'),
  ),
  row('cache.public_added', 'Cache.public', pair('cache', CACHE, '{ ttl: 60, public: true }')),
  row(
    ['cache.enabled', 'cache.public_added'],
    'Cache.public',
    pair('cache', '', '{ ttl: 60, public: true }'),
  ),
  row('cache.public_removed', 'Cache.public', pair('cache', '{ ttl: 60, public: true }', CACHE)),
  row('cache.min_refresh_lowered', 'Cache.min_refresh', pair('cache', CACHE, '{ ttl: 60, min_refresh: 0 }')),
  row('cache.min_refresh_raised', 'Cache.min_refresh', pair('cache', CACHE, '{ ttl: 60, min_refresh: 20 }')),
  row('cache.stale_changed', 'Cache.stale_if_error', pair('cache', CACHE, '{ ttl: 60, stale_if_error: 9 }')),
  row(
    'cache.stale_changed',
    'Cache.stale_while_revalidate',
    pair('cache', CACHE, '{ ttl: 60, stale_while_revalidate: 9 }'),
  ),
  row('warming.raised', 'warming', [{ cache: CACHE }, { cache: CACHE, warming: '{ every: 30 }' }]),
  row('warming.raised', 'Warming.every', [
    { cache: CACHE, warming: '{ every: 30 }' },
    { cache: CACHE, warming: '{ every: 20 }' },
  ]),
  row('warming.raised', 'Warming.examples', [
    { cache: CACHE, warming: '{ every: 30 }' },
    { cache: CACHE, warming: '{ every: 30, examples: true }' },
  ]),
  row('warming.lowered', 'Warming.every', [
    { cache: CACHE, warming: '{ every: 20, examples: true }' },
    { cache: CACHE, warming: '{ every: 30, examples: true }' },
  ]),
  row(['cache.disabled', 'warming.lowered'], 'warming', [{ cache: CACHE, warming: '{ every: 30 }' }, {}]),
  row('limits.lowered', 'limits Limits.time', pair('limits', '', '{ time: 29 }')),
  row('limits.raised', 'Limits.time', pair('limits', '', '{ time: 31 }')),
  row('limits.lowered', 'Limits.memory', pair('limits', '', '{ memory: 1GiB }')),
  row('limits.lowered', 'Limits.read_rows', pair('limits', '', '{ read_rows: 5 }')),
  row('limits.removed', 'Limits.read_rows', pair('limits', '{ read_rows: 5 }', '{ read_rows: 0 }')),
  row('limits.removed', 'Limits.rate', pair('limits', '{ rate: 60/min }', '')),
  row('limits.raised', 'Limits.rate', pair('limits', '{ rate: 60/min }', '{ rate: 2/s }')),
  row('limits.lowered', 'Limits.rate', pair('limits', '{ rate: 60/min }', '{ rate: 1/s }')),
  row('limits.lowered', 'budget Budget.read', pair('budget', '', '{ read: 1GiB/day }')),
  row('limits.removed', 'Budget.read', pair('budget', '{ read: 1GiB/day }', '')),
  row('limits.raised', 'Budget.read', pair('budget', '{ read: 1GiB/day }', '{ read: 1GiB/hour }')),
  row('limits.lowered', 'Budget.time', pair('budget', '{ time: 60s/hour }', '{ time: 1s/min }')),
  row('limits.concurrency_lowered', 'Limits.concurrency', pair('limits', '', '{ concurrency: 2 }')),
  row(
    'limits.concurrency_lowered',
    'Limits.queue',
    pair('limits', '{ concurrency: 2 }', '{ concurrency: 2, queue: 1 }'),
  ),
  row(
    'limits.concurrency_raised',
    'Limits.concurrency',
    pair('limits', '{ concurrency: 2 }', '{ concurrency: 3, queue: 1 }'),
  ),
  row('limits.removed', 'Limits.concurrency', pair('limits', '{ concurrency: 2 }', '')),
  row('reservation.enabled', 'reservation Reservation.enabled', pair('reservation', '', WORKLOADS)),
  row('reservation.disabled', 'Reservation.enabled', pair('reservation', WORKLOADS, '{ enabled: false }')),
  row(
    ['reservation.workload_added', 'reservation.workload_removed'],
    'Reservation.workloads',
    pair('reservation', WORKLOADS, '{ enabled: true, workloads: [a, c] }'),
  ),
  row(
    'warming.workload_changed',
    'Reservation.warming',
    pair('reservation', '', '{ enabled: false, warming: w }'),
  ),
  row('tenancy.added', 'tenancy', pair('tenancy', '', '{ parameter: p }')),
  row('tenancy.removed', 'tenancy', pair('tenancy', '{ parameter: p }', '')),
  row('tenancy.removed', 'tenancy', pair('tenancy', '{ parameter: p }', '{ none: public }')),
  row('tenancy.parameter_changed', 'Tenancy.parameter', [
    { ...TWO, tenancy: '{ parameter: p }' },
    { ...TWO, tenancy: '{ parameter: q }' },
  ]),
  row('tenancy.columns_added', 'Tenancy.columns', tenancy('columns: [a]', 'columns: [a, b]')),
  row('tenancy.columns_added', 'Tenancy.columns', tenancy('columns: [a]', '')),
  row('tenancy.columns_removed', 'Tenancy.columns', tenancy('columns: [a, b]', 'columns: [a]')),
  row('tenancy.columns_removed', 'Tenancy.columns', tenancy('', 'columns: [a]')),
  row(
    ['tenancy.columns_added', 'tenancy.columns_removed'],
    'Tenancy.columns',
    tenancy('columns: [a]', 'columns: [b]'),
  ),
  row('tenancy.shared_added', 'Tenancy.shared', tenancy('shared: { a.b: x }', 'shared: { a.b: y, a.c: x }')),
  row(
    'tenancy.shared_removed',
    'Tenancy.shared',
    tenancy('shared: { a.b: x, c: y }', 'shared: { default.c: y }'),
  ),
  row('tenant.parameter_optional', 'Parameter.required', tenant(STRING, 'type: String')),
  row('tenant.parameter_optional', 'Parameter.required', tenant(STRING, 'type: String, default: ""')),
  row(
    'tenant.default_changed',
    'Parameter.default',
    tenant('type: String, default: a', 'type: String, default: b'),
  ),
  row('tenant.values_widened', 'Parameter.enum', tenant(`${STRING}, enum: [a]`, `${STRING}, enum: [a, b]`)),
  row('tenant.values_widened', 'Parameter.enum', tenant(`${STRING}, enum: [a]`, STRING)),
  row('tenant.values_widened', 'Parameter.pattern', tenant(`${STRING}, pattern: a`, STRING)),
  row(['parameter.pattern_changed', 'tenant.values_widened'], 'Parameter.pattern', [
    ...tenant(`${STRING}, pattern: a`, `${STRING}, pattern: .`),
  ]),
  row('tenant.values_widened', 'Parameter.min_length', tenant(`${STRING}, min_length: 1`, STRING)),
  row('parameter.length_widened', 'Parameter.max_length', tenant(`${STRING}, max_length: 9`, STRING)),
  row('tenant.values_widened', 'Parameter.format', tenant(`${STRING}, format: regex`, STRING)),
  row('tenant.values_widened', 'Parameter.max', tenant(`${INT}, max: 9`, INT)),
  row(
    ['parameter.type_changed', 'tenant.type_changed'],
    TYPE,
    tenant(STRING, 'type: Array(String), required: true'),
  ),
  row('tenant.type_changed', TYPE, tenant(STRING, 'type: Nullable(String), required: true')),
  row(['parameter.type_changed', 'tenant.type_changed'], TYPE, tenant(INT, STRING)),
  row('parameter.type_widened', TYPE, tenant(INT, 'type: Int32, required: true')),
  row(['tenant.misspelling_ignored', 'unknown_parameters.ignored'], 'unknown_parameters', [
    { tenancy: '{ parameter: p }', ...parameter('type: String') },
    { tenancy: '{ parameter: p }', ...parameter('type: String'), unknown_parameters: 'ignore' },
  ]),
  row('unknown_parameters.ignored', 'unknown_parameters', [
    { tenancy: '{ parameter: p }' },
    { tenancy: '{ parameter: p }', unknown_parameters: 'ignore' },
  ]),
  row('reason.unused', 'allow', pair('allow', '', '{ column.removed: a reason }')),
  row(['reason.stale', 'max_rows.raised'], 'allow', [
    { allow: '{ column.removed: a reason }' },
    { allow: '{ column.removed: a reason }', max_rows: '2000' },
  ]),
  row('labels.changed', 'labels', pair('labels', '{ team: a }', '{ team: "@header" }')),
  row('mcp.removed', 'mcp', pair('mcp', '{ max_rows: 5 }', 'false')),
  row('mcp.added', 'mcp', pair('mcp', 'false', '{ name: b }')),
  row('mcp.renamed', 'Mcp.name', pair('mcp', '{ name: a }', '{ name: b }')),
  row('mcp.renamed', 'Mcp.name', [{}, { mcp: '{ name: b }' }]),
  row('endpoint.renamed', 'Mcp.name', [
    { name: 'one.a', mcp: '{ name: one }' },
    { name: 'two.a', mcp: '{ name: one }' },
  ]),
  row('mcp.max_rows_lowered', 'Mcp.max_rows', [{}, { mcp: '{ max_rows: 99 }' }]),
  row(
    'view.changed',
    'view View.logs LogsView.table LogsView.time LogsView.message LogsView.level LogsView.columns LogsView.facets LogsView.from LogsView.to',
    [
      { view: '', sandbox: OPEN },
      { view: '{ logs: { table: t, time: ts } }', sandbox: OPEN },
    ],
  ),
  row('rollups.off', 'rollups', [{}, { rollups: 'off' }]),
  row('rollups.on', 'rollups', [{ rollups: 'off' }, {}]),
  row('mcp.max_rows_raised', 'Mcp.max_rows', pair('mcp', '{ max_rows: 5 }', '{ max_rows: 6 }')),
];

/** The source of a conversion, with another key. */
function converted(more = '', sql = 'SELECT 1'): string {
  return `{ from: sqlite, sql: ${sql}, hash: '0123456789abcdef'${more === '' ? '' : `, ${more}`} }`;
}

/** Keys that are no part of a contract, with two values of each. */
const DO_NOT_MATTER: Readonly<Record<string, Row['turn']>> = {
  'Tenancy.none': pair('tenancy', '{ none: a }', '{ none: b }'),
  description: pair('description', 'a', 'b'),
  'Mcp.description': pair('mcp', '{ description: a }', '{ description: b }'),
  'Mcp.hint': pair('mcp', '{ hint: a }', '{ hint: b }'),
  allow: pair('allow', '{ column.removed: a }', ''),
  allow_security: pair('allow_security', '{ tenant.filter_changed: a }', ''),
  allow_breaking: pair('allow_breaking', 'a', 'b'),
  'Watch.tests': pair('watch', watched(), watched(`tests: [${WATCH_TEST}]`)),
  ...Object.fromEntries(
    [
      ['name', 'b'],
      ['from', '2023-12-31T00:00:00Z'],
      ['until', '2024-01-02T00:00:00Z'],
      ['fixtures', '{ logs.t: [] }'],
      ['expect', '[{ state: firing }]'],
    ].map(([key = '', value = '']) => [
      `WatchTest.${key}`,
      pair(
        'watch',
        watched(`tests: [${WATCH_TEST}]`),
        watched(`tests: [${WATCH_TEST.replace(new RegExp(`${key}: \\S+?(?=,? )`), `${key}: ${value}`)}]`),
      ),
    ]),
  ),
  ...Object.fromEntries(
    [
      'state: resolved',
      'state: firing, at: 2024-01-01T00:00:00Z',
      'state: firing, group: { a: 1 }',
      'state: firing, message: x',
    ].map((more) => [
      `ExpectedMessage.${more.split(/[:,] ?/).at(more.startsWith('state: resolved') ? 0 : 2) ?? ''}`,
      pair(
        'watch',
        watched(`tests: [${WATCH_TEST}]`),
        watched(`tests: [${WATCH_TEST.replace('expect: []', `expect: [{ ${more} }]`)}]`),
      ),
    ]),
  ),
  examples: pair('examples', '', '[{ name: a, parameters: { p: x } }]'),
  fixtures: pair('fixtures', '', '{ logs.t: [{ a: 1 }] }'),
  converted: pair('converted', '', converted()),
  'Converted.from': pair('converted', converted(), converted().replace('sqlite', 'trino')),
  'Converted.sql': pair('converted', converted(), converted('', 'SELECT 2')),
  'Converted.hash': pair('converted', converted(), converted().replace('abcdef', 'fedcba')),
  'Converted.tool': pair('converted', converted(), converted('tool: redash')),
  'Converted.database': pair('converted', converted(), converted('database: web')),
  'Converted.declarations': pair('converted', converted(), converted('declarations: [{ name: x }]')),
  'Parameter.description': both(STRING, 'description: a'),
};

/** What a file includes is compared as if it were its own: `include.test.ts`. */
const OF_INCLUDES = /^(?:include$|Include[.])/;

const change = ([before, after]: Row['turn']) =>
  changesBetween(fileOf({ ...BASE, ...before }), fileOf({ ...BASE, ...after }));

const comparer = await openComparer(`CREATE DATABASE logs;
CREATE TABLE logs.t (a UInt64, b String, p String, q String, ts DateTime, internal UInt8) ENGINE = MergeTree ORDER BY a;
CREATE TABLE logs.u (x UInt64) ENGINE = MergeTree ORDER BY x;`);
afterAll(() => comparer.close());

describe('one file', () => {
  test.each(ROWS)('$codes by $keys: $turn', async ({ codes, turn }) => {
    const [before, after] = turn;
    // Queries are compared by their models; what parameters restrict is not known without them.
    const isQuery = (before['query'] ?? QUERY) !== (after['query'] ?? QUERY);
    const texts = [fileOf({ ...BASE, ...before }), fileOf({ ...BASE, ...after })] as const;
    const changes = isQuery ? await comparer.changesBetween(...texts) : changesBetween(...texts);
    expect(codesOf(changes)).toEqual(codes);
    for (const { code, class: kind, line } of changes) {
      expect(kind).toBe(CHANGES[code].class);
      expect(line).toBeGreaterThan(0);
    }
  });

  test.each(Object.entries(DO_NOT_MATTER))('%s is not a change', (_, turn) => {
    expect(change(turn)).toEqual([]);
  });

  test.each(ROWS)('no changes are reported without a change: $turn.1', ({ turn: [, after] }) => {
    expect(change([after, after])).toEqual([]);
  });

  test('lines are those of the new file, also for a table of the query', async () => {
    const before = fileOf({
      ...BASE,
      ...open(
        'WITH\nt AS (SELECT a FROM logs.t WHERE p = @p),\nu AS (SELECT a FROM logs.t WHERE p = @p)\nSELECT a FROM t',
      ),
    });
    const after = `# a comment\n${before.replace(/= @p\)\n {2}SELECT/, '!= @p)\n  SELECT')}limits:\n  memory: 2GiB\n  time: 5\n`;
    const places = (await comparer.changesBetween(before, after)).map(({ code, line }) => `${line} ${code}`);
    const lineOf = (text: string): number => after.split('\n').findIndex((line) => line.includes(text)) + 1;
    expect(places).toEqual([
      `${lineOf('u AS')} tenant.not_confined`,
      `${lineOf('u AS')} query.rows_removed`,
      `${lineOf('time: 5')} limits.lowered`,
      `${lineOf('query:')} query.changed`,
    ]);
  });
});

const FILE = fileOf(BASE);
const OTHER = fileOf({ ...BASE, id: ID.replace('1', '2'), name: 'two' });
const SECOND = fileOf({ ...BASE, id: ID.replace('1', '2'), version: '2' });
const BROKEN = FILE.replace('@p', '@q');

interface FolderRow {
  readonly why: string;
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  /** Endpoint, code and file of each change. */
  readonly gives: readonly string[];
}

const FOLDERS: readonly FolderRow[] = [
  { why: 'a moved file is not a change', before: { 'a.yaml': FILE }, after: { 'b.yaml': FILE }, gives: [] },
  { why: 'one added', before: {}, after: { 'a.yaml': FILE }, gives: ['one endpoint.added a.yaml'] },
  {
    why: 'a version beside the only file, which gets a number and stays the default',
    before: { 'a.yaml': FILE },
    after: { 'a.yaml': `${FILE}version: 1\ndefault: true\n`, 'b.yaml': SECOND },
    gives: ['one@1 version.numbered a.yaml', 'one@2 endpoint.added b.yaml'],
  },
  {
    why: 'a version that becomes the default',
    before: { 'a.yaml': `${FILE}version: 1\n` },
    after: { 'a.yaml': `${FILE}version: 1\n`, 'b.yaml': SECOND },
    gives: ['one@2 version.default_changed b.yaml', 'one@2 endpoint.added b.yaml'],
  },
  {
    why: 'an older version that becomes the default again',
    before: { 'a.yaml': `${FILE}version: 1\n`, 'b.yaml': SECOND },
    after: { 'a.yaml': `${FILE}version: 1\ndefault: true\n`, 'b.yaml': SECOND },
    gives: ['one@1 version.default_changed a.yaml'],
  },
  {
    why: 'a version that is not the default, removed before its sunset',
    before: {
      'a.yaml': `${FILE}version: 1\ndeprecated: { since: 2024-01-01, sunset: 2024-06-01 }\n`,
      'b.yaml': SECOND,
    },
    after: { 'b.yaml': SECOND },
    gives: ['one@1 endpoint.removed a.yaml'],
  },
  { why: 'one removed', before: { 'a.yaml': FILE }, after: {}, gives: ['one endpoint.removed a.yaml'] },
  {
    why: 'a rename is detected by the id, wherever the file is',
    before: { 'one.yaml': FILE },
    after: { 'new.yaml': FILE.replace('name: one', 'name: new') },
    gives: ['new endpoint.renamed new.yaml'],
  },
  {
    why: 'a new id hides no other change',
    before: { 'a.yaml': FILE },
    after: { 'a.yaml': fileOf({ ...BASE, id: ID.replace('1', '9'), max_rows: '1' }) },
    gives: ['one endpoint.id_changed a.yaml', 'one max_rows.lowered a.yaml'],
  },
  {
    why: 'a new endpoint that takes a name is compared with its previous owner',
    before: { 'a.yaml': FILE },
    after: {
      'a.yaml': FILE.replace('name: one', 'name: old'),
      'b.yaml': fileOf({ ...BASE, id: ID.replace('1', '9'), max_rows: '1' }),
    },
    gives: ['old endpoint.renamed a.yaml', 'one endpoint.replaced b.yaml', 'one max_rows.lowered b.yaml'],
  },
  {
    why: 'swapped names are renames',
    before: { 'a.yaml': FILE, 'b.yaml': OTHER },
    after: {
      'a.yaml': FILE.replace('name: one', 'name: two'),
      'b.yaml': OTHER.replace('name: two', 'name: one'),
    },
    gives: ['one endpoint.renamed b.yaml', 'two endpoint.renamed a.yaml'],
  },
  {
    why: 'errors in a file that was served',
    before: { 'a.yaml': FILE },
    after: { 'a.yaml': BROKEN },
    gives: ['one file.broken a.yaml'],
  },
  {
    why: 'malformed YAML',
    before: { 'a.yaml': FILE },
    after: { 'a.yaml': '{' },
    gives: ['one file.broken a.yaml'],
  },
  {
    why: 'errors in a file that was also moved',
    before: { 'a.yaml': FILE },
    after: { 'b.yaml': BROKEN },
    gives: ['one file.broken b.yaml'],
  },
  {
    why: 'errors in a new file',
    before: {},
    after: { 'a.yaml': BROKEN },
    gives: ['one file.invalid a.yaml'],
  },
  {
    why: 'errors in a new file without a name',
    before: {},
    after: { 'a.yaml': '{' },
    gives: ['a.yaml file.invalid a.yaml'],
  },
  {
    why: 'unchanged errors',
    before: { 'a.yaml': BROKEN },
    after: { 'a.yaml': `${BROKEN}# more\n` },
    gives: [],
  },
  {
    why: 'fixed errors',
    before: { 'a.yaml': BROKEN },
    after: { 'a.yaml': FILE },
    gives: ['one endpoint.not_comparable a.yaml'],
  },
  {
    why: 'a second file of the same id and name is not served',
    before: { 'a.yaml': FILE },
    after: { 'a.yaml': FILE, 'b.yaml': FILE },
    gives: ['one file.invalid b.yaml'],
  },
  {
    why: 'a file that precedes it replaces it, and is compared with it',
    before: { 'b.yaml': FILE },
    after: { 'a.yaml': fileOf({ ...BASE, max_rows: '1' }), 'b.yaml': FILE },
    gives: ['one max_rows.lowered a.yaml', 'one file.invalid b.yaml'],
  },
];

const showAll = (comparisons: ReturnType<typeof compareFiles>): readonly string[] =>
  comparisons
    .flatMap(({ changes }) => changes)
    .map(({ endpoint, code, file }) => `${endpoint} ${code} ${file}`);

describe('a folder of files', () => {
  test.each(FOLDERS)('$why', ({ before, after, gives }) => {
    expect(showAll(compareFiles(before, after))).toEqual(gives);
  });

  test('the order of files does not matter', () => {
    const after = {
      'a.yaml': FILE.replace('name: one', 'name: two'),
      'b.yaml': OTHER.replace('name: two', 'name: one'),
    };
    const turned = Object.fromEntries(Object.entries(after).toReversed());
    expect(compareFiles({ 'a.yaml': FILE }, turned)).toEqual(compareFiles({ 'a.yaml': FILE }, after));
  });
});

interface ColumnRow {
  readonly codes: readonly ChangeCode[];
  readonly why: string;
  readonly before: string;
  readonly after: string;
  readonly int64?: 'string';
}

/** Columns as `name Type` with commas between; of the answer, and after a bar of the table t. */
const COLUMNS: readonly ColumnRow[] = [
  { codes: [], why: 'the same', before: 'a UInt8', after: 'a UInt8' },
  { codes: ['column.added'], why: 'more', before: 'a UInt8', after: 'b UInt8, a UInt8' },
  { codes: ['column.removed'], why: 'less', before: 'a UInt8, b UInt8', after: 'b UInt8' },
  {
    codes: ['column.order_changed'],
    why: 'another order',
    before: 'a UInt8, b UInt8',
    after: 'b UInt8, a UInt8',
  },
  { codes: ['column.nullable'], why: 'null', before: 'a UInt8', after: 'a Nullable(UInt8)' },
  { codes: ['column.type_changed'], why: 'strings instead of numbers', before: 'a UInt8', after: 'a String' },
  { codes: ['column.type_changed'], why: 'fewer bits', before: 'a UInt16', after: 'a UInt8' },
  {
    codes: ['column.type_changed'],
    why: 'more digits change the string',
    before: "a DateTime64(3, 'UTC')",
    after: "a DateTime64(6, 'UTC')",
  },
  { codes: ['column.type_widened'], why: 'more bits', before: 'a UInt8', after: 'a Int64' },
  {
    codes: ['column.type_changed'],
    why: 'numbers become strings at 64 bits',
    before: 'a UInt8',
    after: 'a Int64',
    int64: 'string',
  },
  {
    codes: ['column.type_widened'],
    why: 'elements with more bits',
    before: 'a Array(UInt8)',
    after: 'a Array(UInt16)',
  },
  {
    codes: ['column.type_widened'],
    why: 'no longer nullable',
    before: 'a Nullable(String)',
    after: 'a String',
  },
  {
    codes: ['column.type_widened'],
    why: 'a different storage type',
    before: 'a String',
    after: 'a LowCardinality(String)',
  },
  {
    codes: ['column.type_widened'],
    why: 'a path gets a type',
    before: 'a JSON(x UInt8)',
    after: 'a JSON(x UInt8; y Map(String; String))',
  },
  {
    codes: ['column.type_changed'],
    why: 'a path loses its type',
    before: 'a JSON(x UInt8; y String)',
    after: 'a JSON(x UInt8)',
  },
  {
    codes: ['sandbox.column_added'],
    why: 'of a table',
    before: 'a UInt8 | a UInt8',
    after: 'a UInt8 | a UInt8, b UInt8',
  },
  {
    codes: ['sandbox.column_removed'],
    why: 'of a table',
    before: 'a UInt8 | a UInt8, b UInt8',
    after: 'a UInt8 | a UInt8',
  },
  {
    codes: ['sandbox.column_type_changed'],
    why: 'of a table',
    before: 'a UInt8 | a UInt8',
    after: 'a UInt8 | a Nullable(UInt8)',
  },
  {
    codes: ['sandbox.column_type_widened'],
    why: 'of a table',
    before: 'a UInt8 | a UInt8',
    after: 'a UInt8 | a UInt16',
  },
  {
    codes: [],
    why: 'the order in a table',
    before: 'a UInt8 | a UInt8, b UInt8',
    after: 'a UInt8 | b UInt8, a UInt8',
  },
];

function columnsOf(text: string): EndpointColumns {
  const [result = [], table = []] = text.split(' | ').map((list) =>
    list.split(', ').map((column) => {
      const [name = '', ...type] = column.split(' ');
      return { name, type: type.join(' ').replaceAll(';', ',') };
    }),
  );
  return { result, tables: [{ name: 't', columns: table }] };
}

describe('columns', () => {
  test.each(COLUMNS)('$why: $before, then $after', ({ before, after, int64 = 'number', codes }) => {
    const file = { 'a.yaml': fileOf({ ...BASE, ...open(QUERY), int64 }) };
    // A list of columns is split at commas: the types are written without spaces after commas.
    const sides = [before, after].map((text) =>
      sideOf(file, columnsOf(text.replaceAll(/\((\w+), /g, '($1; '))),
    );
    const [old, now] = sides;
    if (old === undefined || now === undefined) throw new Error('two sides');
    expect(codesOf(compareContracts(old, now).flatMap(({ changes }) => changes))).toEqual(codes);
  });

  test('a query that the engine now rejects', () => {
    const file = { 'a.yaml': FILE };
    const described = sideOf(file, columnsOf('a UInt8'));
    const rejected = { ...sideOf(file), columns: new Map() };
    expect(showAll(compareContracts(described, rejected))).toEqual(['one query.rejected a.yaml']);
    expect(compareContracts(rejected, described)).toEqual([]);
    expect(compareContracts(described, sideOf(file))).toEqual([]);
  });
});

test.each([
  { today: '2024-05-31', code: 'endpoint.removed' },
  { today: '2024-06-01', code: 'endpoint.sunset' },
])('a deprecated endpoint removed on $today: $code', ({ today, code }) => {
  const before = sideOf({ 'a.yaml': `${FILE}deprecated: { since: 2024-01-01, sunset: 2024-06-01 }\n` });
  const [comparison] = compareContracts(before, sideOf({}), Date.parse(today));
  expect(codesOf(comparison?.changes ?? [])).toEqual([code]);
});

describe('the table', () => {
  test('has a test row for every code', () => {
    const folders = FOLDERS.flatMap(({ gives }) => gives.map((text) => text.split(' ')[1]));
    const columns = COLUMNS.flatMap(({ codes }) => codes);
    const tested = new Set([
      ...ROWS.flatMap(({ codes }) => codes),
      ...folders,
      ...columns,
      'endpoint.sunset', // below
      'query.rejected',
      'tables.rejected',
      'query.not_compared', // without an engine
      'redaction.not_applied', // in unredacted.test.ts
      'query.source_redefined', // test/cli/commands/diff.command.test.ts
      ...Object.keys(COST_CHANGES), // test/golden/commands/diff/cost
      ...Object.keys(ROLLUP_CHANGES), // test/golden/commands/diff/rollups
      ...Object.keys(VIEW_CHANGES), // test/golden/commands/diff/shared-views
    ]);
    expect(tested).toEqual(new Set(Object.keys(CHANGES)));
  });

  test('changes every key of the schema, or states that it does not matter', () => {
    const covered = new Set([
      ...ROWS.flatMap(({ keys }) => keys),
      ...Object.keys(DO_NOT_MATTER),
      ...schemaKeys().filter((key) => OF_INCLUDES.test(key)),
    ]);
    expect(schemaKeys().filter((key) => !covered.has(key))).toEqual([]);
    expect([...covered].filter((key) => !schemaKeys().includes(key))).toEqual([]);
  });
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** Keys of the file, and of its parts as `Part.key`; examples and fixtures are whole, and rollups are in test/golden/commands/diff/rollups. */
function schemaKeys(): readonly string[] {
  const path = join(import.meta.dirname, '../../../schemas/endpoint.schema.json');
  const schema = JSON.parse(readFileSync(path, 'utf8')) as Schema; // our own schema
  const below = (prefix: string, { properties = {} }: Schema): readonly string[] =>
    Object.entries(properties).flatMap(([key, property]) => [
      `${prefix}${key}`,
      ...below(`${prefix}${key}.`, property),
    ]);
  const parts = Object.entries(schema.$defs ?? {}).filter(
    ([name]) => !['Example', 'Expectation'].includes(name) && !name.startsWith('Rollup'),
  );
  return [...below('', schema), ...parts.flatMap(([name, part]) => below(`${name}.`, part))];
}
