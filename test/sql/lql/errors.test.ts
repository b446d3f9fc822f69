// Every error: its code, its exact location in the consumer's query, and a useful hint.
import { describe, expect, test } from 'vitest';
import { positionAt } from '../../../src/sql/base/position.ts';
import type { Table } from '../../../src/sql/lql/resolve.ts';
import { findingsOf } from './corpus.ts';

const TABLES: readonly Table[] = [
  {
    name: 'edge_logs',
    columns: [
      { name: 'id', type: 'String' },
      { name: 'timestamp', type: "DateTime64(3, 'UTC')" },
      { name: 'event_message', type: 'String' },
      { name: 'status', type: 'UInt16' },
      { name: 'ok', type: 'Bool' },
      { name: 'uid', type: 'UUID' },
      { name: 'ip4', type: 'IPv4' },
      { name: 'ip6', type: 'IPv6' },
      { name: 'created', type: 'DateTime' },
      { name: 'tags', type: 'Array(String)' },
      { name: 'attrs', type: 'Map(String, String)' },
      { name: 'codes', type: 'Map(UInt8, String)' },
      { name: 'pair', type: 'Tuple(left String, right String)' },
      { name: 'metadata', type: 'JSON' },
    ],
  },
  {
    name: 'auth_logs',
    columns: [
      { name: 'timestamp', type: 'String' },
      { name: 'id', type: 'UInt64' },
    ],
  },
  { name: 'plain', columns: [{ name: 'id', type: 'UInt64' }] },
];

/** `code line:column` of every finding. */
function places(lql: string): readonly string[] {
  return findingsOf(lql, TABLES).map(({ code, start }) => {
    const { line, column } = positionAt(lql, start);
    return `${code} ${line}:${column}`;
  });
}

const TOO_MANY = `${'a '.repeat(99)}b\n c`;

describe('section by section', () => {
  test.each([
    { lql: 'id:1 colour:red', at: 'column_unknown 1:6', why: 'unknown column' },
    { lql: 'id:1\n  -colour.x:red', at: 'column_unknown 2:4' },
    { lql: 's:id s:idd', at: 'column_unknown 1:8' },
    { lql: 'c:sum(nope)', at: 'column_unknown 1:7' },
    { lql: '12:30:45', at: 'column_unknown 1:1', why: 'text with a colon requires quotes' },
    { lql: 'f:plain error', at: 'column_unknown 1:9', why: 'no message column to search' },
    { lql: 'f:plain t:today', at: 'column_unknown 1:9' },
    { lql: 'f:plain c:count(*)', at: 'column_unknown 1:9', why: 'a chart requires timestamp' },

    { lql: 'error f:edge_log', at: 'table_unknown 1:9', why: 'unknown CTE' },
    { lql: 'f:edge_logs from:auth_logs', at: 'clause_repeated 1:13', why: 'two from clauses' },
    { lql: 'c:count(*) c:sum(status)', at: 'clause_repeated 1:12', why: 'two aggregates' },
    { lql: 'c:group_by(t::h) c:group_by(t::d)', at: 'clause_repeated 1:18', why: 'two periods' },
    { lql: '-f:edge_logs', at: 'negation_invalid 1:1', why: 'negated from' },
    { lql: 'a -s:id', at: 'negation_invalid 1:3', why: 'negated select' },
    { lql: '-c:count(*)', at: 'negation_invalid 1:1', why: 'negated chart' },
    { lql: 's:*@all', at: 'clause_conflict 1:4' },

    { lql: 'm.x:', at: 'value_missing 1:5', why: 'empty value' },
    { lql: 'm.x: 5', at: 'value_missing 1:5' },
    { lql: 'm.x:>=', at: 'value_missing 1:7' },
    { lql: 't:', at: 'value_missing 1:3' },
    { lql: 'f:', at: 'name_missing 1:3' },
    { lql: 's:', at: 'name_missing 1:3' },
    { lql: 'f:1a', at: 'name_missing 1:3' },
    { lql: 'f:"edge_logs"', at: 'name_missing 1:3' },
    { lql: 's:>5', at: 'name_missing 1:3', why: 'the prefix wins over a field of that name' },
    { lql: 'a -', at: 'value_missing 1:4' },
    { lql: 'a ~ b', at: 'value_missing 1:4' },

    { lql: 'a OR b', at: 'operator_unknown 1:3', why: 'operators of other languages' },
    { lql: 'a AND b', at: 'operator_unknown 1:3' },
    { lql: 'NOT b', at: 'operator_unknown 1:1' },
    { lql: 'm.level:error\n  || b', at: 'operator_unknown 2:3' },
    { lql: 'a && b', at: 'operator_unknown 1:3' },
    { lql: 'a ! b', at: 'operator_unknown 1:3' },
    { lql: '-OR', at: 'operator_unknown 1:2' },
    { lql: '(a)', at: 'operator_unknown 1:1', why: 'a group' },
    { lql: '(a', at: 'operator_unknown 1:1' },
    { lql: '(a OR b) c', at: ['operator_unknown 1:1', 'operator_unknown 1:4'], why: 'and its end once' },
    { lql: '-(a)', at: 'operator_unknown 1:2' },
    { lql: 'a)', at: 'operator_unknown 1:2' },
    { lql: 'f(x))', at: 'operator_unknown 1:5' },
    { lql: '()', at: 'operator_unknown 1:1' },
    { lql: '(m.level:error)', at: 'operator_unknown 1:1', why: 'no path, so a term' },

    { lql: 'm.x:(a OR b)', at: 'operator_unknown 1:8', why: 'values have | between them' },
    { lql: 'm.x:("a" AND b|c)', at: 'operator_unknown 1:10' },
    { lql: 'm.x:()', at: 'value_missing 1:6', why: 'no values' },
    { lql: 'm.x:( )', at: 'value_missing 1:7' },
    { lql: 'm.x:(|a) b', at: 'value_missing 1:6' },
    { lql: 'm.x:(a|)', at: 'value_missing 1:8' },
    { lql: 'm.x:(a||b)', at: 'value_missing 1:8' },
    { lql: 'm.x:(a b|c) d', at: 'value_invalid 1:8', why: 'a value with a space' },
    { lql: 'm.x:("a"b|c)', at: 'value_invalid 1:9' },
    {
      lql: 'm.x:(a(b)|c) d',
      at: 'value_invalid 1:7',
      why: 'one with parentheses',
    },
    { lql: 'm.x:(a|b', at: 'parenthesis_unclosed 1:5' },
    { lql: 'm.x:(a|"b)', at: 'quote_unclosed 1:8' },
    { lql: 'm.x:(a|b)c', at: 'whitespace_missing 1:10' },
    { lql: 'm.x:(?i)a|b', at: 'whitespace_missing 1:9' },
    { lql: 'm.x:a|b', at: 'value_invalid 1:5', why: 'several values without parentheses' },
    { lql: 'm.x:500|503', at: 'value_invalid 1:5' },
    { lql: 'm.x:>(1|2)', at: 'operator_invalid 1:6', why: 'several values compared' },
    { lql: 'm.x:@>(a|NULL)', at: 'operator_invalid 1:10' },
    { lql: 'm.x:(1|1..b|9..5)', at: ['range_invalid 1:8', 'range_invalid 1:13'] },
    { lql: 't:(today|yesterday)', at: 'timestamp_invalid 1:3' },
    { lql: `m.x:(${'a|'.repeat(100)}b)`, at: 'too_many_values 1:206', why: 'over 100 values' },
    { lql: 'status:(500|abc) ok:(true|5)', at: ['type_mismatch 1:13', 'type_mismatch 1:27'] },
    { lql: 'created:(2024-01-01|soon)', at: 'timestamp_invalid 1:21' },
    { lql: 'tags:(a|b)', at: 'operator_invalid 1:7', why: 'an array as a whole' },
    { lql: 'colour:(a|b) pair:(a|b)', at: ['column_unknown 1:1', 'path_invalid 1:14'] },
    { lql: '(error|timeout)', at: 'operator_unknown 1:1', why: 'terms have no values' },

    { lql: 'm.x::v', at: 'operator_repeated 1:5', why: 'repeated operator' },
    { lql: 'm.x:>>1', at: 'operator_repeated 1:6' },
    { lql: 'm.x:>=<1', at: 'operator_repeated 1:7' },
    { lql: 'm.x:~~a', at: 'operator_repeated 1:6' },
    { lql: 'm.x:@>@>a', at: 'operator_repeated 1:7' },
    { lql: 'm.x:=5', at: 'operator_repeated 1:5' },
    { lql: '~~a', at: 'operator_repeated 1:2' },
    { lql: 't::now', at: 'operator_repeated 1:3' },

    { lql: 'a "b', at: 'quote_unclosed 1:3', why: 'unclosed quote' },
    { lql: 'm.x:"b c', at: 'quote_unclosed 1:5' },
    { lql: String.raw`"b\"`, at: 'quote_unclosed 1:1' },
    { lql: 'm.x:(a b', at: 'parenthesis_unclosed 1:5', why: 'unclosed parenthesis' },
    { lql: 'c:count(*', at: 'parenthesis_unclosed 1:8' },
    { lql: 'c:count( * )', at: 'parenthesis_unclosed 1:8' },

    { lql: 't:2024-13-01', at: 'timestamp_invalid 1:3', why: 'invalid timestamp' },
    { lql: 't:>2023-02-29', at: 'timestamp_invalid 1:4' },
    { lql: 't:2024-01-01T25:00:00Z', at: 'timestamp_invalid 1:3' },
    { lql: 't:17106832220', at: 'timestamp_invalid 1:3' },
    { lql: 't:2024-03-{01..32}', at: 'timestamp_invalid 1:3' },
    { lql: 't:2024-03-01..soon', at: 'timestamp_invalid 1:3' },
    { lql: 't:tomorrow', at: 'timestamp_invalid 1:3' },
    { lql: 't:this@fortnight', at: 'timestamp_invalid 1:3' },
    { lql: 't:last@12345m', at: 'timestamp_invalid 1:3' },
    { lql: 't:"2024-01-01"', at: 'timestamp_invalid 1:3' },
    { lql: 't:foo', at: 'timestamp_invalid 1:3', why: 'never a field t' },
    { lql: 't:NULL', at: 'timestamp_invalid 1:3' },
    { lql: 'created:soon', at: 'timestamp_invalid 1:9', why: 'a time column' },
    { lql: 'created:2023-02-29', at: 'timestamp_invalid 1:9' },
    { lql: 'created:5', at: 'timestamp_invalid 1:9' },
    { lql: 't:2024-01-01T00:00Z..2024-01-02T00:00', at: 'range_invalid 1:3', why: 'mixed offsets' },
    { lql: 't:1710683222..2024-03-18', at: 'range_invalid 1:3' },
    { lql: 'created:2024-01-01T00:00Z..2024-01-02', at: 'range_invalid 1:9' },
    { lql: 't:2024-02-01..2024-01-01', at: 'range_invalid 1:3', why: 'a range that ends before it begins' },

    { lql: 'm.x:1..2024-01-01', at: 'range_invalid 1:5', why: 'mixed kinds' },
    { lql: 'm.x:1..b', at: 'range_invalid 1:5' },
    { lql: 'm.x:a..b', at: 'range_invalid 1:5', why: 'of no kind' },
    { lql: 'm.x:1..', at: 'range_invalid 1:5' },
    { lql: 'm.x:..1', at: 'range_invalid 1:5' },
    { lql: 'm.x:1..2..3', at: 'range_invalid 1:5' },
    { lql: 'm.x:200..50', at: 'range_invalid 1:5' },
    { lql: 'm.level:notise..warning', at: 'range_invalid 1:9' },
    { lql: 'm.level:warning..notice', at: 'range_invalid 1:9' },
    {
      lql: 'm.severity:notice..warning',
      at: 'range_invalid 1:12',
      why: 'levels are those of metadata.level',
    },

    { lql: 's:m.x@', at: 'name_missing 1:6', why: 'empty alias' },
    { lql: 's:m.x@1a', at: 'name_missing 1:6' },
    { lql: 'c:median(m.x)', at: 'aggregate_unknown 1:3', why: 'unknown aggregate' },
    { lql: 'c:COUNT(*)', at: 'aggregate_unknown 1:3' },
    { lql: 'c:count()', at: 'chart_invalid 1:9' },
    { lql: 'c:count(a..b)', at: 'chart_invalid 1:9' },
    { lql: 'c:avg(*)', at: 'chart_invalid 1:1' },
    { lql: 'c:group_by(t::week)', at: 'chart_invalid 1:12' },
    { lql: 'c:group_by(m.x)', at: 'chart_invalid 1:12' },

    { lql: 'm.x:>NULL', at: 'operator_invalid 1:6', why: 'NULL with another operator' },
    { lql: 'm.x:~NULL', at: 'operator_invalid 1:6' },
    { lql: 'm.x:@>NULL', at: 'operator_invalid 1:7' },
    { lql: 'm.x:>true', at: 'operator_invalid 1:6' },
    { lql: 'm.x:>1..2', at: 'operator_invalid 1:6', why: 'a range with another operator' },
    { lql: 't:>2024-01-01..2024-01-02', at: 'operator_invalid 1:4' },
    { lql: 't:>=last@1h', at: 'operator_invalid 1:5' },
    { lql: 't:~2024', at: 'operator_invalid 1:2' },
    { lql: 't:@>now', at: 'operator_invalid 1:2' },
    { lql: 'tags:a', at: 'operator_invalid 1:6', why: 'an array as a whole' },

    { lql: TOO_MANY, at: 'too_many_clauses 2:2', why: 'over 100 clauses' },
    { lql: 'a b\0c', at: 'character_invalid 1:4', why: 'a NUL byte' },
    { lql: '"a\n\0"', at: 'character_invalid 2:1' },
    { lql: 'a \ud800', at: 'character_invalid 1:3', why: 'a lone surrogate' },
    { lql: 'a\u00a0b', at: 'character_invalid 1:2', why: 'a space that is not a separator' },
    { lql: 'a \u2028b', at: 'character_invalid 1:3' },
    { lql: 'm.level:error\u200e', at: 'character_invalid 1:14', why: 'a character that cannot be seen' },
    { lql: 'er\u00adror', at: 'character_invalid 1:3' },
    { lql: 'a\x1bb', at: 'character_invalid 1:2', why: 'a control character' },
    { lql: 's:m.x\u2060', at: 'character_invalid 1:6' },
    { lql: 'x'.repeat(65_537), at: 'query_too_long 1:65537' },

    { lql: '~"a("', at: 'regex_invalid 1:2', why: 'an expression that RE2 rejects' },
    { lql: 'ok:true m.x:~[b-a]', at: 'regex_invalid 1:14' },
    { lql: 'tags:@>~"*a"', at: 'regex_invalid 1:9' },
    { lql: 'm.x:~(?=a)', at: 'regex_invalid 1:6' },

    { lql: '"a"b', at: 'whitespace_missing 1:4', why: 'clauses without whitespace between them' },
    { lql: 'a"b"', at: 'whitespace_missing 1:2' },
    { lql: 'm.x:(a b)c', at: 'whitespace_missing 1:10' },
    { lql: 'f:edge_logs,auth_logs', at: 'whitespace_missing 1:12' },
    { lql: 'c:count(*)x', at: 'whitespace_missing 1:11' },
    { lql: 's:m..x', at: 'whitespace_missing 1:4' },
    { lql: 'm.user-agent:curl', at: 'path_invalid 1:1', why: 'meant as a field' },
    { lql: 'm..x:1', at: 'path_invalid 1:1' },
    { lql: String.raw`metadata."a\"b":1`, at: 'path_invalid 1:1', why: 'no query can name it' },
    { lql: '"":1', at: 'whitespace_missing 1:3', why: 'no empty names' },
    { lql: '"a:1', at: 'quote_unclosed 1:1' },
    { lql: '"a"."b":1', at: 'column_unknown 1:1' },
    { lql: 'c:max("a)', at: 'parenthesis_unclosed 1:6' },
    { lql: `a m.${'a.'.repeat(63)}a:1`, at: 'path_invalid 1:3', why: 'too many segments' },
    { lql: 'status.x:1', at: 'path_invalid 1:1', why: 'no fields' },
    { lql: 'pair.middle:1', at: 'path_invalid 1:1' },
    { lql: 'codes.a:1', at: 'path_invalid 1:1' },
    { lql: 'attrs:a', at: 'path_invalid 1:1', why: 'a Map as a whole' },
    { lql: 'metadata:a', at: 'path_invalid 1:1' },
    { lql: 'a b:1 pair:~x', at: ['column_unknown 1:3', 'path_invalid 1:7'] },

    { lql: 'status:abc', at: 'type_mismatch 1:8', why: 'a value that the type cannot have' },
    { lql: 'status:>2024-01-01', at: 'type_mismatch 1:9' },
    { lql: 'ok:5', at: 'type_mismatch 1:4' },
    { lql: 'ok:yes', at: 'type_mismatch 1:4' },
    { lql: 'uid:true', at: 'type_mismatch 1:5' },
    { lql: 'uid:550e8400', at: 'type_mismatch 1:5' },
    { lql: 'ip4:10.0.0.256', at: 'type_mismatch 1:5' },
    { lql: 'ip6:1::2::3', at: 'type_mismatch 1:5' },
    { lql: 'ip6:"fe80::1%eth0"', at: 'type_mismatch 1:5' },
    { lql: 'status:@>5', at: 'type_mismatch 1:10' },
    { lql: 'created:1..2', at: 'timestamp_invalid 1:9' },
    { lql: 'status:2024-01-01..2024-01-02', at: 'type_mismatch 1:8' },
    { lql: 'c:sum(tags)', at: 'type_mismatch 1:7' },
    { lql: 'c:avg(created)', at: 'type_mismatch 1:7' },
    { lql: `m.x:${'9'.repeat(39)}`, at: 'value_invalid 1:5' },
    { lql: 's:m.a.b s:m.a_b', at: 'column_repeated 1:9', why: 'two columns with one name' },
    { lql: 's:* s:id', at: 'column_repeated 1:5' },
  ])('$at: $lql', ({ lql, at }) => {
    const expected = typeof at === 'string' ? [at] : at;
    expect(places(lql)).toEqual(expected.map((place) => `lql.${place}`));
  });
});

test('several tables and none named: the names are listed', () => {
  const [finding] = findingsOf('error', TABLES, { defaultTable: undefined });
  expect(finding?.code).toBe('lql.table_missing');
  expect(finding?.hint).toContain('edge_logs, auth_logs, plain');
});

describe('all findings are reported together, ordered by location', () => {
  test.each([
    { lql: 'm.x: t:soon "open', at: ['value_missing 1:5', 'timestamp_invalid 1:8', 'quote_unclosed 1:13'] },
    { lql: 'f:edge_logs f:b s:*@x c:count(*)', at: ['clause_repeated 1:13', 'clause_conflict 1:20'] },
    { lql: 'nope:1 ~"(" s:nope', at: ['column_unknown 1:1', 'regex_invalid 1:9', 'column_unknown 1:15'] },
    { lql: 'a:"b c"d" e', at: ['whitespace_missing 1:8'], why: 'text after an error is not interpreted' },
  ])('$lql', ({ lql, at }) => {
    expect(places(lql)).toEqual(at.map((place) => `lql.${place}`));
  });
});

describe('the nearest valid spelling', () => {
  test.each([
    { lql: 'status:500 OR status:503', hint: 'write status:(500|503)' },
    { lql: 'x m.a:GET OR m.a:"x y" || m.a:(a|b) OR m.a:c y', hint: 'write m.a:(GET|"x y"|a|b|c)' },
    { lql: 'tags:@>a OR tags:@>b', hint: 'write tags:@>(a|b)' },
    { lql: 'a.b OR "c d" OR ~^e', hint: String.raw`write ~"a\\.b|c d|^e"` },
    { lql: `x:(${'a|'.repeat(99)}a) OR x:b`, hint: 'for one of several values' },
    { lql: 'status:500 OR error', hint: 'm.status:(500|503)' },
    { lql: '-status:500 OR status:503', hint: 'for one of several values' },
    { lql: 'status:>500 OR status:>503', hint: 'for one of several values' },
    { lql: 'OR status:503', hint: 'for one of several values' },
    { lql: 'status:500|503', hint: 'write (500|503)' },
    { lql: 'status:(500 OR 503)', hint: 'm.status:(500|503)' },
    { lql: 'satus:500', hint: 'status' },
    { lql: 'metdata.a.b:1', hint: 'metadata.a.b' },
    { lql: 'f:edgelogs', hint: 'edge_logs' },
    { lql: 'c:cuont(*)', hint: 'count' },
    { lql: 'c:group_by(t::hours)', hint: 'c:group_by(t::hour)' },
    { lql: 'm.level:notise..error', hint: 'notice' },
    { lql: 'm.level:error..info', hint: 'info..error' },
    { lql: 'm.x:5..1', hint: '1..5' },
    { lql: 't:yesterdy', hint: 'yesterday' },
    { lql: 't:this@weak', hint: 'week' },
    { lql: 't:this@2weeks', hint: 'last@2weeks' },
    { lql: 'pair.lef:a', hint: 'left' },
    { lql: 'status.x:1', hint: 'leave .x out' },
  ])('$lql', ({ lql, hint }) => {
    expect(findingsOf(lql, TABLES)[0]?.hint).toContain(hint);
  });
});
