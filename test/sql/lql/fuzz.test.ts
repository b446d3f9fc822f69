// Strings that are almost LQL: each is parsed or rejected at a location, and only parsed queries become SQL.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/sql/lql/compile.ts';
import { MAX_LQL_LENGTH, parse } from '../../../src/sql/lql/parse.ts';
import { print } from '../../../src/sql/lql/print.ts';
import type { Table } from '../../../src/sql/lql/resolve.ts';
import { tokenize } from '../../../src/sql/clickhouse/lexer.ts';
import { anyText } from './arbitrary.ts';
import { NOW } from './corpus.ts';
import { withoutSpans } from './strip.ts';

const TABLES: readonly Table[] = [
  {
    name: 'edge_logs',
    columns: [
      { name: 'id', type: 'String' },
      { name: 'timestamp', type: "DateTime64(3, 'UTC')" },
      { name: 'event_message', type: 'String' },
      { name: 'status', type: 'UInt16' },
      { name: 'tags', type: 'Array(String)' },
      { name: 'attrs', type: 'Map(String, String)' },
      { name: 'metadata', type: 'JSON' },
    ],
  },
];

const QUERIES = [
  'error',
  'database "sign up" -timeout',
  '~"(?i)panic" -~^debug',
  'm.response.status_code:>=500 t:last@1h',
  '-m.int:>=100 m.tags:@>popular m.tags:@>~^pop',
  'f:auth_logs s:timestamp s:m.user.id@user_id m.level:error',
  'f:edge_logs c:p95(m.response.origin_time) c:group_by(t::hour) m.request.method:GET',
  'metadata.level:warning..emergency t:2024-03-{01..07}',
  't:2022-04-{07..09}T00:{00..40}:00.{001..314} m.x:NULL -m.y:"a \\" b \\\\"',
  'm.f:30.1..300.1 m.at:2024-01-01T00:00:00Z..2024-02-01T00:00:00+02:00 t:1710683222',
  'status:500 tags:@>"x y" attrs.a.b:~(a|b) s:* c:count(*)',
  'status:(500|503) -m.x:(NULL|"a b"|5..9) tags:@>(a|"b)") m.level:(debug|error..alert)',
  'attrs."k8s/pod":x m."user-agent"."a b":~curl -"t":5 s:m."x\\"y"@z c:p95(m."a(b".c)',
];

const TOKENS = [
  '-',
  '~',
  ':',
  ':>=',
  ':~',
  ':@>~',
  '@',
  '..',
  '"',
  '\\',
  '(',
  ')',
  '|',
  '(a|b)',
  ' OR ',
  '{',
  '}',
  '*',
  ' ',
  '\n',
  '\t',
  '\0',
  '\u00a0',
  '\ud800',
  'm.',
  't:',
  'c:',
  's:',
  'f:',
  'NULL',
  'true',
  '5',
  '-1.5',
  '2024-01-01',
  'last@',
  'é',
  '😀',
  "'",
  '`',
  ';',
  '--',
  '/*',
] as const;

interface Edit {
  readonly at: number;
  readonly drop: number;
  readonly insert: string;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  drop: fc.nat({ max: 3 }),
  insert: fc.oneof(fc.constantFrom(...TOKENS), anyText),
});

/** One or two queries, edited in a few places. */
const mutant = fc
  .tuple(
    fc.array(fc.constantFrom(...QUERIES), { minLength: 1, maxLength: 2 }),
    fc.array(edit, { maxLength: 4 }),
  )
  .map(([queries, edits]) => edits.reduce(apply, queries.join(' ')));

function apply(text: string, { at, drop, insert }: Edit): string {
  const start = Math.floor(at * text.length);
  return text.slice(0, start) + insert + text.slice(start + drop);
}

function expectSound(text: string): void {
  const parsed = parse(text);
  if ('findings' in parsed) return expectPlaces(parsed.findings, text);
  const printed = print(parsed.tree);
  if (printed.length <= MAX_LQL_LENGTH) {
    const again = parse(printed);
    expect('tree' in again && withoutSpans(again.tree)).toEqual(withoutSpans(parsed.tree));
  }
  const compiled = compile(parsed.tree, { tables: TABLES, defaultTable: undefined, now: NOW });
  if ('findings' in compiled) return expectPlaces(compiled.findings, text);
  const kinds = new Set(tokenize(compiled.sql).map(({ kind }) => kind));
  for (const kind of ['comment', 'heredoc', 'error', ';'] as const) expect(kinds.has(kind)).toBe(false);
}

function expectPlaces(
  findings: readonly { readonly start: number; readonly end: number }[],
  text: string,
): void {
  expect(findings).not.toHaveLength(0);
  for (const { start, end } of findings) {
    expect(start).toBeGreaterThanOrEqual(0);
    expect(end).toBeGreaterThanOrEqual(start);
    expect(end).toBeLessThanOrEqual(text.length);
  }
}

const CASES = Math.ceil(Number(process.env['FUZZ_CASES'] ?? 1500) / 3) * 3;
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

test(`${CASES} mutants of queries`, { timeout: 7_200_000 }, () => {
  fc.assert(fc.property(mutant, expectSound), { numRuns: CASES, seed: SEED });
});

test(`${CASES / 3} strings made of pieces of LQL`, { timeout: 7_200_000 }, () => {
  const pieces = fc.array(fc.oneof(fc.constantFrom(...TOKENS), anyText), { maxLength: 12 });
  fc.assert(
    fc.property(
      pieces.map((parts) => parts.join('')),
      expectSound,
    ),
    { numRuns: CASES / 3, seed: SEED + 1 },
  );
});

describe('strings of maximum length, which would be slow if read twice', () => {
  const LENGTH = 65_536;
  test.each([
    { text: 'a'.repeat(LENGTH), why: 'a word' },
    { text: `"${'a'.repeat(LENGTH - 1)}`, why: 'an unclosed quote' },
    { text: '"'.repeat(LENGTH), why: 'quotes' },
    { text: '\\'.repeat(LENGTH), why: 'backslashes' },
    { text: `"${'\\'.repeat(LENGTH - 1)}`, why: 'backslashes in a quote' },
    { text: ' '.repeat(LENGTH), why: 'spaces' },
    { text: '\u00a0'.repeat(LENGTH), why: 'characters that look like spaces' },
    { text: 'a.'.repeat(LENGTH / 2), why: 'an unterminated path' },
    { text: `${'a.'.repeat(LENGTH / 2 - 2)}a:1`, why: 'a path of very many parts' },
    { text: `m.${'a'.repeat(LENGTH - 2)}`, why: 'a path without an operator' },
    { text: `m.${'-'.repeat(LENGTH - 2)}`, why: 'an invalid field' },
    { text: 'a:('.repeat(LENGTH / 4), why: 'parentheses' },
    { text: 'a:( '.repeat(LENGTH / 4), why: 'unclosed parentheses' },
    { text: `a:(${'x'.repeat(LENGTH - 3)}`, why: 'one unclosed parenthesis' },
    { text: `a:${'('.repeat(LENGTH - 2)}`, why: 'nested parentheses' },
    { text: `a:(${'b|'.repeat(LENGTH / 2 - 2)}`, why: 'very many values' },
    { text: 'a:("b"|'.repeat(LENGTH / 7), why: 'unclosed lists' },
    { text: `a:(b${' '.repeat(LENGTH - 5)}|`, why: 'spaces in a list' },
    { text: 'a OR '.repeat(49), why: 'words with OR between them' },
    { text: `a:${'.'.repeat(LENGTH - 2)}`, why: 'dots' },
    { text: `a:${'1'.repeat(LENGTH - 2)}`, why: 'a number' },
    { text: `a:${'1..'.repeat(20_000)}`, why: 'ranges' },
    { text: `t:${'{01..02}'.repeat(8000)}`, why: 'braces' },
    { text: `t:last@${'1'.repeat(LENGTH - 7)}`, why: 'a count' },
    { text: `c:${'a'.repeat(LENGTH - 3)}(`, why: 'an aggregate' },
    { text: 'c:count('.repeat(8192), why: 'aggregates' },
    { text: 'm.a:~"(a" '.repeat(6553), why: 'expressions' },
    { text: `${'"a".'.repeat(LENGTH / 4 - 1)}a:1`, why: 'a path of quoted names' },
    { text: '"a".'.repeat(LENGTH / 4), why: 'quoted names without an operator' },
    { text: `a."${'\\"'.repeat(LENGTH / 2 - 2)}`, why: 'an unclosed name' },
    { text: 'a."b '.repeat(LENGTH / 5), why: 'unclosed names' },
    { text: 'c:count("'.repeat(7281), why: 'aggregates of unclosed names' },
    { text: '~a{100} '.repeat(100), why: 'expensive expressions' },
  ])('$why', ({ text }) => {
    expect(text.length).toBeLessThanOrEqual(LENGTH);
    expectSound(text);
  });
});
