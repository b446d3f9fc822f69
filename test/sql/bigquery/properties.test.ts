// Any input gives either a Problem with a location in it, or SQL of bounded size, after a bounded amount of work.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { translate, type SourceTable } from '../../../src/sql/dialects/bigquery/translate.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { tokenize } from '../../../src/sql/clickhouse/lexer.ts';
import { runs } from '../../support/runs.ts';
import { anyCharacter } from '../../support/any-character.ts';

const TABLES: readonly SourceTable[] = [
  {
    name: 'edge_logs',
    columns: [
      { name: 'timestamp', type: "DateTime64(6, 'UTC')" },
      { name: 'id', type: 'String' },
      { name: 'tags', type: 'Array(String)' },
      {
        name: 'metadata',
        type: 'JSON(`request.method` LowCardinality(String), `response.status_code` UInt16)',
      },
    ],
  },
];

// The file is a list of pairs; only their texts are of use here.
const TEXTS = (
  parse(readFileSync(new URL('pairs.yaml', import.meta.url), 'utf8')) as readonly { text: string }[]
).map(({ text }) => text);

/** The SQL of a text, or the problem with it; throws everything else. */
function outcome(text: string): string | Problem {
  try {
    return translate(text, { tables: TABLES, taken: new Set() }).sql;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** What is wrong with the outcome; undefined when nothing is. */
function faultOf(text: string): string | undefined {
  const result = outcome(text);
  if (typeof result !== 'string') {
    const [place] = result.errors;
    const isInside = (place?.line ?? 0) >= 1 && (place?.line ?? 0) <= text.split(/\r\n|\r|\n/).length;
    return isInside && result.code.startsWith('bigquery.')
      ? undefined
      : `${result.code} at line ${place?.line}`;
  }
  const isBounded = result.length <= 65_536 && !/[\n\r]/.test(result);
  const isPlain = tokenize(result).every(({ kind }) => kind !== 'error' && kind !== 'comment');
  return isBounded && isPlain ? undefined : result;
}

const RUNS = { seed: 11, numRuns: runs(100) };
const WORDS =
  `select from where group by order limit with as union all distinct join left cross on unnest ( ) [ ] , . ; *
  + - = < || and or not in is null between case when then else end cast safe_cast extract interval 1 day 'a' "b" \`c\`
  count sum array_agg struct over partition rows having qualify except replace edge_logs metadata id timestamp tags
  offset 0 2.5 true exists array any_value timestamp_trunc hour json_value '$.a' @ -- # /* */ ''' r' \\`.split(
    /\s+/,
  );

describe('throws nothing but a Problem', () => {
  test('for any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
        expect(faultOf(text)).toBeUndefined();
      }),
      RUNS,
    );
  });

  test('for tokens in any order', () => {
    const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, (rest) => {
        expect(faultOf(`select ${rest}`)).toBeUndefined();
      }),
      RUNS,
    );
  });

  test('for real queries with a piece removed, duplicated or taken from another query', () => {
    const cut = fc.tuple(
      fc.constantFrom(...TEXTS),
      fc.constantFrom(...TEXTS),
      fc.nat(600),
      fc.nat(600),
      fc.nat(60),
    );
    fc.assert(
      fc.property(cut, ([text, other, at, from, length]) => {
        const changed = [
          text.slice(0, at) + text.slice(at + length),
          text.slice(0, at) + text.slice(Math.max(0, at - length)),
          text.slice(0, at) + other.slice(from, from + length) + text.slice(at),
        ];
        expect(changed.flatMap((each) => faultOf(each) ?? [])).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe('hostile queries are rejected, however short', () => {
  const nested = (open: string, inner: string, close: string, times: number): string =>
    `select ${open.repeat(times)}${inner}${close.repeat(times)} from edge_logs`;
  test.each([
    { why: 'brackets', text: nested('(', '1', ')', 3000) },
    { why: 'subqueries', text: nested('(select ', '1', ')', 60) },
    { why: 'SELECTs', text: `select 1${' union all select 1'.repeat(64)}` },
    { why: 'signs', text: `select ${'- '.repeat(100)}1` },
    { why: 'operators', text: `select 1${'+1'.repeat(200)}` },
    { why: 'words', text: `select 1${' or 1'.repeat(2500)}` },
    { why: 'characters', text: `select '${'a'.repeat(17_000)}'` },
    { why: 'columns', text: `select ${'*, '.repeat(400)}id from edge_logs` },
    { why: 'tables', text: `select 1 from edge_logs${', edge_logs'.repeat(60)}` },
    {
      why: 'an argument that is repeated in the output',
      text: nested('regexp_extract(', "'a'", ", 'x*')", 30),
    },
    { why: 'a type that is repeated in the output', text: nested('struct(', '1', ')', 30) },
    { why: 'nested element access', text: `select id${'[offset(0)]'.repeat(70)} from edge_logs` },
    { why: 'the operand of CASE', text: nested('case ', '1', ' when 1 then 1 when 2 then 2 end', 35) },
    {
      why: 'a window that is used repeatedly, inside another one',
      text: `select 1 from edge_logs window w as (order by id)`.replace('1', nestedWindows(11)),
    },
    { why: 'nested arrays', text: nested('(select x from unnest(', "['a']", ') as x)', 20) },
    { why: 'nested tables', text: `with ${chain(70)} select * from a69` },
    { why: 'comments', text: '/*'.repeat(8000) },
  ])('$why', ({ text }) => {
    const result = outcome(text);
    expect(result).toBeInstanceOf(Problem);
    expect(result).toMatchObject({ status: 400, code: expect.stringMatching(/^bigquery\./) });
  });

  test('the work for an accepted query is bounded as well', () => {
    const longest = `select ${'id || '.repeat(1900)}id as x from edge_logs`;
    expect(outcome(longest)).toBeTypeOf('string');
    expect(
      outcome(`${longest} order by ${Array.from({ length: 90 }, () => 'x || x').join(', ')}`),
    ).toBeInstanceOf(Problem);
  });
});

function nestedWindows(depth: number): string {
  const inner = depth === 0 ? '1' : nestedWindows(depth - 1);
  const uses = Array.from({ length: 4 }, () => 'count(*) over w').join(' + ');
  return `(select ${uses} from edge_logs window w as (order by ${inner}))`;
}

function chain(length: number): string {
  return Array.from(
    { length },
    (_, i) => `a${i} as (select * from ${i === 0 ? 'edge_logs' : `a${i - 1}`})`,
  ).join(', ');
}
