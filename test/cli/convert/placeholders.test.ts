// Placeholders and templates of other tools: the SQL and the parameters that they become, and what is reported.
import { describe, expect, test } from 'vitest';
import type { ConvertedParameter } from '../../../src/sql/dialects/conversion.ts';
import { detectTool, readPlaceholders } from '../../../src/cli/convert/placeholders/read-placeholders.ts';
import type {
  Declaration,
  TemplateDialect,
  TemplateTool,
} from '../../../src/cli/convert/placeholders/template.ts';

/** `x: Type!` is required, `x: Type = value` has a default. */
function shown({ name, type, required, default: value }: ConvertedParameter): string {
  return `${name}: ${type}${required ? '!' : ''}${value === undefined ? '' : ` = ${JSON.stringify(value)}`}`;
}

interface Row {
  readonly why: string;
  readonly text: string;
  readonly sql: string;
  readonly parameters: readonly string[];
  readonly tool?: TemplateTool;
  readonly dialect?: TemplateDialect;
  readonly declarations?: readonly Declaration[];
  /** Severities, if there are notes. */
  readonly notes?: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    why: 'numbered placeholders have the names of columns, and one name for each number',
    text: 'SELECT * FROM t WHERE a = $1 AND b >= $2 AND b < $3 AND c = $1 LIMIT $4',
    sql: 'SELECT * FROM t WHERE a = :a AND b >= :b_from AND b < :b_to AND c = :a LIMIT :limit',
    parameters: ['a: String!', 'b_from: String!', 'b_to: String!', 'limit: UInt64!'],
  },
  {
    why: 'not in strings, quoted names and comments',
    text: `SELECT '$1 :x ?', "a:b" FROM t -- :y\nWHERE a = :z /* $2 */`,
    sql: `SELECT '$1 :x ?', "a:b" FROM t -- :y\nWHERE a = :z /* $2 */`,
    parameters: ['z: String!'],
  },
  {
    why: 'casts, slices, JSON operators and dollar quotes are no placeholders',
    text: `SELECT a::text, b[1:2], c ? 'k', $$ $1 $$, 5 % 3 FROM t`,
    sql: `SELECT a::text, b[1:2], c ? 'k', $$ $1 $$, 5 % 3 FROM t`,
    parameters: [],
  },
  {
    why: 'types of casts',
    text: 'SELECT * FROM t WHERE a = :a::int AND b = CAST(:b AS date) AND c = ANY(:c::uuid[])',
    sql: 'SELECT * FROM t WHERE a = :a::int AND b = CAST(:b AS date) AND c IN (:c)          ',
    parameters: ['a: Int64!', 'b: Date!', 'c: Array(UUID)!'],
  },
  {
    why: `Python's formatting`,
    text: `SELECT 'a%%' FROM t WHERE a = %(a)s AND b LIKE %s AND c IN %(ids)s`,
    sql: `SELECT 'a%' FROM t WHERE a = :a AND b LIKE :b AND c IN (:ids)`,
    parameters: ['a: String!', 'b: String!', 'ids: Array(String)!'],
  },
  {
    why: `ClickHouse's placeholders in ClickHouse SQL`,
    text: 'SELECT {a:UInt8}, {b:Nullable(Date)} FROM t WHERE c IN {c:Array(String)}',
    sql: 'SELECT @a, @b FROM t WHERE c IN @c',
    parameters: ['a: UInt8!', 'b: Date', 'c: Array(String)!'],
    dialect: 'clickhouse',
  },
  {
    why: 'optional parts of Metabase',
    tool: 'metabase',
    text: 'SELECT * FROM t WHERE x [[AND a = {{a}} OR b = {{b}}]] [[LIMIT {{n}}]]',
    sql: 'SELECT * FROM t WHERE x  AND ((:a IS NULL OR :b IS NULL) OR (a = :a OR b = :b)) LIMIT :optional_limit_1',
    parameters: ['a: String', 'b: String', 'n: UInt64'],
  },
  {
    why: 'an optional WHERE',
    tool: 'metabase',
    text: 'SELECT * FROM t [[WHERE a = {{a}}]] ORDER BY 1',
    sql: 'SELECT * FROM t  WHERE (:a IS NULL OR (a = :a)) ORDER BY 1',
    parameters: ['a: String'],
  },
  {
    why: 'field filters of Metabase are conditions on their columns',
    tool: 'metabase',
    text: 'SELECT * FROM orders WHERE {{day}} AND {{country}}',
    declarations: [
      { name: 'day', filter: { column: ['orders', 'day'], kind: 'date/range' } },
      { name: 'country', filter: { column: ['Country'], kind: 'string/!=' } },
    ],
    sql:
      'SELECT * FROM orders WHERE ((:day_from IS NULL OR orders.day >= :day_from) AND (:day_to IS NULL OR orders.day < clickhouse__addDays(:day_to, 1)))' +
      ' AND (clickhouse__empty(:country) OR "Country" NOT IN (:country))',
    parameters: ['day_from: Date', 'day_to: Date', 'country: Array(String) = []'],
  },
  {
    why: 'values in quotes, beside other text, and in intervals',
    tool: 'redash',
    text: `SELECT * FROM t WHERE a = '{{ a }}' AND b LIKE '%{{ b }}%' AND c > now() - INTERVAL '{{ n }} days'`,
    sql: `SELECT * FROM t WHERE a = :a AND b LIKE clickhouse__concat('%', :b, '%') AND c > now() - (:n * INTERVAL '1 day')`,
    parameters: ['a: String!', 'b: String!', 'n: Int64!'],
  },
  {
    why: 'both ends of a range, names with spaces, and lists',
    tool: 'redash',
    text: `SELECT * FROM t WHERE d BETWEEN '{{ Time range.start }}' AND '{{ Time range.end }}' AND s IN ({{ s }})`,
    declarations: [
      { name: 'Time range', type: 'Date', isRange: true },
      { name: 's', isList: true, enum: ['a', 'b'] },
    ],
    sql: 'SELECT * FROM t WHERE d BETWEEN :Time_range_start AND :Time_range_end AND s IN (:s)',
    parameters: ['Time_range_start: Date!', 'Time_range_end: Date!', 's: Array(String)!'],
  },
  {
    why: 'a value without quotes could be any SQL',
    tool: 'redash',
    text: 'SELECT a + {{ x }} FROM t WHERE b = {{ y }} LIMIT {{ z }}',
    sql: 'SELECT a + :x FROM t WHERE b = :y LIMIT :z',
    parameters: ['x: String!', 'y: String!', 'z: UInt64!'],
    notes: ['differs', 'note'],
  },
  {
    why: 'macros of Grafana for PostgreSQL',
    tool: 'grafana',
    text: `SELECT $__timeGroupAlias(t.at, '5m'), count(*) FROM t WHERE $__timeFilter(t.at) AND h IN ($h) AND e = '$e' GROUP BY 1`,
    declarations: [
      { name: 'h', isList: true },
      { name: 'e', default: 'prod' },
    ],
    sql:
      'SELECT clickhouse__toStartOfInterval(t.at, clickhouse__toIntervalSecond(300)) AS "time", count(*) FROM t' +
      ' WHERE t.at BETWEEN :time_from AND :time_to AND h IN (:h) AND e = :e GROUP BY 1',
    parameters: [
      'time_from: DateTime64(3)!',
      'time_to: DateTime64(3)!',
      'h: Array(String)!',
      'e: String = "prod"',
    ],
  },
  {
    why: 'a list that may be All restricts nothing without a value',
    tool: 'grafana',
    text: 'SELECT * FROM t WHERE x AND t."a b" NOT IN ($h) AND lower(c) IN ([[h]]) LIMIT 5',
    declarations: [{ name: 'h', isList: true, isAllAllowed: true }],
    sql: 'SELECT * FROM t WHERE x AND (clickhouse__empty(:h) OR t."a b" NOT IN (:h)) AND (clickhouse__empty(:h) OR lower(c) IN (:h)) LIMIT 5',
    parameters: ['h: Array(String) = []'],
  },
  {
    why: 'it stays required if another use of it needs values',
    tool: 'grafana',
    text: 'SELECT * FROM t WHERE a + b IN ($h) AND c IN ($h)',
    declarations: [{ name: 'h', isList: true, isAllAllowed: true }],
    sql: 'SELECT * FROM t WHERE a + b IN (:h) AND (clickhouse__empty(:h) OR c IN (:h))',
    parameters: ['h: Array(String)!'],
  },
  {
    why: 'macros of Grafana for ClickHouse, with a nested placeholder',
    tool: 'grafana',
    dialect: 'clickhouse',
    text: 'SELECT $__timeInterval(at) AS t FROM x WHERE $__timeFilter(at) AND $__conditionalAll(h IN (${h}), $h)',
    declarations: [{ name: 'h', isList: true }],
    sql: 'SELECT toStartOfInterval(toDateTime(at), toIntervalSecond(@interval_seconds)) AS t FROM x WHERE at BETWEEN @time_from AND @time_to AND (empty(@h) OR h IN (@h))',
    parameters: [
      'interval_seconds: UInt32 = 60',
      'time_from: DateTime64(3)!',
      'time_to: DateTime64(3)!',
      'h: Array(String) = []',
    ],
  },
  {
    why: 'only declared variables of a dashboard are placeholders',
    tool: 'grafana',
    text: `SELECT '$5', $a FROM t WHERE b ~ '^x$'`,
    declarations: [{ name: 'a', type: 'Float64' }],
    sql: `SELECT '$5', :a FROM t WHERE b ~ '^x$'`,
    parameters: ['a: Float64!'],
  },
  {
    why: 'templates of Tinybird: types, defaults, conditions',
    tool: 'tinybird',
    dialect: 'clickhouse',
    text: `%\nSELECT * FROM t WHERE a = {{UInt8(a, 3)}}{% if defined(b) %} AND b = {{String(b, 'x')}}{% end %} AND c IN {{Array(c, 'Int32', '1,2')}}`,
    sql: ' \nSELECT * FROM t WHERE a = @a /* if @b */ AND b = @b /* end */ AND c IN @c',
    parameters: ['a: UInt8 = 3', 'b: String', 'c: Array(Int32) = [1,2]'],
  },
  {
    why: 'alternatives: of conditions, of values, of columns',
    tool: 'tinybird',
    dialect: 'clickhouse',
    text: `SELECT {% if u == 'h' %} h(t) AS x, {% else %} d(t) AS x, {% end %} 1 AS y FROM t WHERE {% if defined(a) %} a = {{Int8(a)}} {% else %} a > 0 {% end %} ORDER BY {% if u == 'h' %} x {% else %} y {% end %}`,
    sql:
      `SELECT CASE WHEN (@u IS NOT NULL AND @u = 'h') THEN ( h(t)) ELSE ( d(t)) END AS x,  1 AS y FROM t` +
      ` WHERE ((@a IS NOT NULL AND ( a = @a )) OR (@a IS NULL AND ( a > 0 )))` +
      ` ORDER BY CASE WHEN (@u IS NOT NULL AND @u = 'h') THEN ( x) END , CASE WHEN NOT (@u IS NOT NULL AND @u = 'h') THEN ( y) END `,
    parameters: ['u: String', 'a: Int8'],
  },
  {
    why: 'alternatives of whole queries by a condition that no part has',
    tool: 'tinybird',
    dialect: 'clickhouse',
    text: `{% if Int8(a) > 1 %}SELECT x FROM t WHERE a = {{Int8(a)}}{% else %}SELECT x FROM u{% end %}`,
    sql: 'SELECT * FROM (SELECT x FROM t WHERE a = @a) AS alternative_1 WHERE (@a IS NOT NULL AND @a > 1)\nUNION ALL\nSELECT * FROM (SELECT x FROM u) AS alternative_2 WHERE NOT (@a IS NOT NULL AND @a > 1)',
    parameters: ['a: Int8'],
  },
  {
    why: 'a default beside a condition on the same parameter',
    tool: 'tinybird',
    dialect: 'clickhouse',
    text: `SELECT {{String(a, 'x')}} AS a FROM t WHERE 1 {% if defined(a) %} AND b = {{String(a)}} {% end %}`,
    sql: `SELECT coalesce(@a, 'x') AS a FROM t WHERE 1 /* if @a */ AND b = @a /* end */`,
    parameters: ['a: String'],
  },
  {
    why: 'tables and variables of dbt, and the full run of an incremental model',
    tool: 'dbt',
    text: `{{ config(materialized='table') }}SELECT * FROM {{ ref('a') }} JOIN {{ source('s', 'b') }} USING (id) WHERE n > {{ var('n', 5) }}{% if is_incremental() %} AND x{% endif %}`,
    sql: ' SELECT * FROM a JOIN s.b USING (id) WHERE n > :n',
    parameters: ['n: Int64 = 5'],
  },
  {
    why: 'Jinja of Superset',
    tool: 'superset',
    text: `SELECT * FROM t WHERE {% if from_dttm is not none %} a >= '{{ from_dttm }}' AND {% endif %} c IN {{ filter_values('c')|where_in }} AND d IN ({{ "'" + "','".join(filter_values('d')) + "'" }})`,
    sql: 'SELECT * FROM t WHERE (:from_dttm IS NULL OR ( a >= :from_dttm)) AND  c IN (:c) AND d IN (:d)',
    parameters: ['from_dttm: DateTime64(3)', 'c: Array(String)!', 'd: Array(String)!'],
  },
  {
    why: 'the user of Superset is chosen by the caller',
    tool: 'superset',
    text: `SELECT * FROM t WHERE u = '{{ current_username() }}'`,
    sql: 'SELECT * FROM t WHERE u = :current_username',
    parameters: ['current_username: String!'],
    notes: ['differs'],
  },
  {
    why: 'names that two placeholders would share, and reserved names',
    tool: 'redash',
    text: `SELECT * FROM t WHERE a = '{{ a b }}' AND b = '{{ a-b }}' AND c = '{{ sql }}'`,
    sql: 'SELECT * FROM t WHERE a = :a_b AND b = :a_b_2 AND c = :sql_value',
    parameters: ['a_b: String!', 'a_b_2: String!', 'sql_value: String!'],
  },
];

describe('placeholders', () => {
  test.each(ROWS)('$why', ({ text, sql, parameters, notes, ...options }) => {
    const template = readPlaceholders(text, { dialect: 'postgresql', ...options });
    expect(template.sql).toBe(sql);
    expect(template.parameters.map(shown)).toEqual(parameters);
    expect(template.notes.map(({ severity }) => severity)).toEqual(notes ?? []);
  });
});

/** What cannot be a parameter: the text at its place, and what the query has instead. */
const LOST: readonly {
  readonly why: string;
  readonly tool: TemplateTool;
  readonly text: string;
  readonly at: string;
  readonly sql: string;
}[] = [
  { why: 'a table', tool: 'redash', text: 'SELECT 1 FROM {{ t }}', at: '{{ t }}', sql: 'SELECT 1 FROM not_converted_1' },
  { why: 'a column to sort by', tool: 'metabase', text: 'SELECT 1 FROM t ORDER BY {{ c }}', at: '{{ c }}', sql: 'SELECT 1 FROM t ORDER BY :not_converted_1' },
  { why: 'a part of a name', tool: 'redash', text: 'SELECT a_{{ x }} FROM t', at: '{{ x }}', sql: 'SELECT a_  FROM t' },
  { why: 'a part of the query', tool: 'redash', text: 'SELECT a FROM t {{ x }}', at: '{{ x }}', sql: 'SELECT a FROM t  ' },
  { why: 'a loop', tool: 'dbt', text: 'SELECT {% for x in y %} x, {% endfor %} FROM t', at: '{% for x in y %} x, {% endfor %}', sql: 'SELECT :not_converted_1 FROM t' },
  { why: 'a macro', tool: 'dbt', text: `SELECT {{ m('x') }} FROM t`, at: `{{ m('x') }}`, sql: 'SELECT :not_converted_1 FROM t' },
  { why: 'columns that are only sometimes there', tool: 'tinybird', text: 'SELECT {% if defined(a) %} a, {% end %} b FROM t', at: '{% if defined(a) %} a, {% end %}', sql: 'SELECT  a,   b FROM t' },
  { why: 'an unknown condition', tool: 'tinybird', text: 'SELECT a FROM t WHERE b {% if f(x) %} AND c {% end %}', at: '{% if f(x) %} AND c {% end %}', sql: 'SELECT a FROM t WHERE b  ' },
  { why: 'rows by function in alternatives', tool: 'tinybird', text: 'SELECT {% if a %}arrayJoin(x) AS y{% else %}z AS y{% end %} FROM t', at: '{% if a %}arrayJoin(x) AS y{% else %}z AS y{% end %}', sql: 'SELECT arrayJoin(x) AS y  FROM t' },
  { why: 'a quoted name', tool: 'superset', text: 'SELECT "{{ c }}" FROM t', at: '"{{ c }}"', sql: 'SELECT :not_converted_1 FROM t' },
  { why: 'an unknown macro', tool: 'grafana', text: 'SELECT $__foo(a) FROM t', at: '$__foo(a)', sql: 'SELECT :not_converted_1 FROM t' },
  { why: 'a question that the export lacks', tool: 'metabase', text: 'SELECT 1 FROM {{#12}} AS t', at: '{{#12}}', sql: 'SELECT 1 FROM not_converted_1 AS t' },
]; // prettier-ignore

describe('what cannot be expressed', () => {
  test.each(LOST)('$why', ({ tool, text, at, sql }) => {
    const template = readPlaceholders(text, {
      dialect: 'postgresql',
      ...(tool === undefined ? {} : { tool }),
    });
    expect(template.sql).toBe(sql);
    const note = template.notes.find(({ severity }) => severity === 'not_converted');
    expect(text.slice(note?.start, note?.end)).toBe(at);
    // The result is no valid query until somebody edits it.
    expect(template.restore(template.sql.replaceAll(':', '@'))).toMatch(
      /\/\* not converted, line 1: .* \*\/ @not_converted_1/,
    );
    expect(template.parameters.map(({ name }) => name)).not.toContain('not_converted_1');
  });

  test.each([
    ['a tag without an end', '{% if a %} x'],
    ['an end without a tag', 'x {% endif %}'],
    ['too many tags', '{{ a }} '.repeat(3000)],
    ['tags nested too deeply', `${'{% if a %}'.repeat(50)}${'{% endif %}'.repeat(50)}`],
    ['a text that is too long', `SELECT {{ a }}${' '.repeat(300_000)}`],
  ])('%s is reported for the whole text', (_, text) => {
    const { isUnreadable, notes } = readPlaceholders(text, { tool: 'dbt', dialect: 'postgresql' });
    expect([isUnreadable, notes.map(({ severity }) => severity)]).toEqual([true, ['not_converted']]);
  });
});

describe('offsets', () => {
  test('map to the source, through placeholders and conditions', () => {
    const text = `SELECT {{ a }} AS x, first\nFROM t [[WHERE b = {{ b }} AND second]] AND third`;
    const { sql, sourceOffset } = readPlaceholders(text, { tool: 'metabase', dialect: 'postgresql' });
    for (const word of ['first', 'FROM', 'second', 'third'])
      expect([word, sourceOffset(sql.indexOf(word))]).toEqual([word, text.indexOf(word)]);
    expect(sourceOffset(sql.indexOf(':a'))).toBe(text.indexOf('{{ a'));
  });
});

describe('which tool a text is of', () => {
  test.each([
    ['SELECT $__timeFilter(t)', 'grafana'],
    ['SELECT 1 [[WHERE a = {{a}}]]', 'metabase'],
    ['%\nSELECT {{Int8(a)}}', 'tinybird'],
    [`SELECT {{ filter_values('x') }}`, 'superset'],
    [`SELECT * FROM {{ ref('x') }}`, 'dbt'],
    ['SELECT {% if x %}1{% endif %}', 'dbt'],
    ['SELECT {{ a.start }}', 'redash'],
    ['SELECT $1, :x, %(y)s', 'driver'],
  ] as const)('%s: %s', (text, tool) => {
    expect(detectTool(text)).toBe(tool);
  });
});

describe('hostile texts', () => {
  test.each([
    ['quotes', `'{{ a }}' `.repeat(1500)],
    ['open parentheses', `${'('.repeat(100_000)}{{ a }}`],
    ['open delimiters', '{{'.repeat(100_000)],
    ['nested calls', `{{ ${'f('.repeat(3000)}${')'.repeat(3000)} }}`],
    ['attributes', `{{ a${'.a'.repeat(4000)} }}`],
    ['macros in macros', `${'$__timeGroup('.repeat(500)}a${')'.repeat(500)}`],
    ['many values', Array.from({ length: 1900 }, (_, n) => `{{ x${n} }}`).join(' = ')],
  ])('%s', (_, text) => {
    for (const tool of ['redash', 'dbt', 'grafana', 'metabase', 'tinybird', 'driver'] as const)
      expect(() => readPlaceholders(text, { tool, dialect: 'mysql' })).not.toThrow();
  });
});
