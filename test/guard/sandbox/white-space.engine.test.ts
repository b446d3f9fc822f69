// White space of the engine beside spaces, tabs and line breaks: it changes nothing of what a query is checked and sent as.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Problem } from '../../../src/sql/base/problem.ts';
import { lexConsumerQuery } from '../../../src/guard/sandbox/lexed-query.ts';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { isSignificant, tokenize } from '../../../src/sql/clickhouse/lexer.ts';
import { isSpaceUnit } from '../../../src/sql/clickhouse/white-space.ts';
import { ACCEPTED } from './accepted.ts';
import { ATTACKS, BENIGN, openSandbox, openWorld } from './fixture.ts';
import type { World } from './fixture.ts';
import { HONEST_STRINGS, STRING_ATTACKS } from './string-attacks.ts';

const ODD = Array.from({ length: 0x10000 }, (_, code) => code)
  .filter((code) => isSpaceUnit(code) && !'\t\n\r '.includes(String.fromCharCode(code)))
  .map((code) => String.fromCharCode(code));

let world: World;
let sandbox: Sandbox;

beforeAll(async () => {
  world = await openWorld();
  sandbox = openSandbox({ explain: world.explain });
});
afterAll(() => world.oracle.close());

/** Each form has the offsets of `sql`: it has another character in place of each space that is neither in quotes nor in a comment. */
const FORMS: readonly (readonly [name: string, write: (sql: string, index: number) => string])[] = [
  ['one of them for all', (sql, index) => spaced(sql, () => ODD[index % ODD.length] ?? '')],
  ['each in its turn', (sql, index) => spaced(sql, (place) => ODD[(place + index) % ODD.length] ?? '')],
];

function spaced(sql: string, space: (place: number) => string): string {
  return tokenize(sql)
    .map(({ kind, start, end }) => {
      const source = sql.slice(start, end);
      if (kind !== 'whitespace') return source;
      return source.replace(/ /g, (_, at: number) => space(start + at));
    })
    .join('');
}

/** The query with a space on both sides of every token, and in a comment. */
function everywhere(sql: string, space: string): string {
  const comment = `/*${space}*/`;
  const tokens = tokenize(sql).map((token, index) => {
    const source = sql.slice(token.start, token.end);
    return isSignificant(token) && index % 3 === 0 ? `${space}${source}${space}${comment}${space}` : source;
  });
  return `${space}${tokens.join('')}${space}`;
}

/** The outcome of a query; of one that may run, what is sent. */
async function outcome(sql: string): Promise<unknown> {
  try {
    const { joined, tables, narrow, isLeakproof, isApart } = await sandbox.check(sql);
    return { joined, tables, narrow, isLeakproof, isApart };
  } catch (error) {
    if (error instanceof Problem) return [error.code, error.errors];
    throw error;
  }
}

const ALL = [
  ...[...ATTACKS, ...BENIGN].map(({ sql }) => sql),
  ...STRING_ATTACKS.map(({ sql }) => sql.replace('«', '')),
  ...ACCEPTED,
  ...HONEST_STRINGS,
].filter(({ length }) => length < 4000);

describe.each(FORMS)('%s', (_name, write) => {
  test('every attack has the same rejection, every other query the same statement', async () => {
    const different: string[] = [];
    for (const [index, sql] of ALL.entries()) {
      const other = write(sql, index);
      const [before, after] = [await outcome(sql), await outcome(other)];
      if (JSON.stringify(before) !== JSON.stringify(after))
        different.push(`${JSON.stringify(other)}: ${JSON.stringify(after)}`);
    }
    expect(different).toEqual([]);
  });
});

test('around every token and in comments, it is not sent', () => {
  const wrong: string[] = [];
  for (const [index, sql] of [...BENIGN.map((each) => each.sql), ...ACCEPTED].entries()) {
    const other = everywhere(sql, ODD[index % ODD.length] ?? '');
    if (lexConsumerQuery(other).joined !== lexConsumerQuery(sql).joined) wrong.push(JSON.stringify(other));
  }
  expect(wrong).toEqual([]);
});

describe('attacks', () => {
  test.each(ODD.map((space) => [`U+${space.charCodeAt(0).toString(16)}`, space]))(
    'with %s',
    async (_code, s) => {
      const attacks: readonly (readonly [sql: string, code: string])[] = [
        [`SELECT * FROM${s}users`, 'table_denied'],
        [`SELECT * FROM${s}app${s}.${s}logs`, 'table_denied'],
        [`SELECT 1 IN${s}(${s}users${s})`, 'table_denied'],
        [`SELECT file${s}('/etc/passwd')`, 'function_denied'],
        [`SELECT * FROM url${s}(${s}'http://x')`, 'table_denied'],
        [`SELECT${s}version${s}(${s})`, 'function_denied'],
        [`SELECT * FROM edge_logs${s}INTO${s}OUTFILE${s}'/tmp/x'`, 'syntax_unsupported'],
        [`SELECT * FROM edge_logs${s}SETTINGS${s}readonly${s}=${s}0`, 'syntax_unsupported'],
        [`SELECT 1 FROM edge_logs${s}FORMAT${s}CSV`, 'syntax_unsupported'],
        [`SELECT 1;${s}DROP TABLE app.logs`, 'query_invalid'],
        [`SELECT 1${s};${s};`, 'query_invalid'],
        [`SELECT 1 /*${s}*/ FROM /*${s}*/ users`, 'table_denied'],
        [`SELECT 1 --${s}edge_logs\nFROM users`, 'table_denied'],
        [`SELECT 1 #${s}\nFROM users`, 'query_invalid'],
        [`SELECT * FROM "${s}users"`, isControl(s) ? 'query_invalid' : 'table_denied'],
        [`SELECT * FROM \`users${s}\``, isControl(s) ? 'query_invalid' : 'table_denied'],
        [`WITH${s}(a,b)${s}->${s}1${s}AS${s}equals${s}SELECT * FROM edge_logs`, 'syntax_unsupported'],
        [`EXPLAIN${s}SELECT 1`, 'syntax_unsupported'],
        [
          `SELECT CAST(id, 'Aggregate${s}Function(sum, UInt8)') FROM edge_logs`,
          isControl(s) ? 'query_invalid' : 'type_denied',
        ],
        [
          `SELECT concat(id, 'AggregateFunction${s}(sum, UInt8)') FROM edge_logs`,
          isControl(s) ? 'query_invalid' : 'type_denied',
        ],
      ];
      const found = await Promise.all(attacks.map(async ([sql]) => [sql, await rejectedWith(sql)]));
      expect(found).toEqual(attacks.map(([sql, code]) => [sql, code]));
    },
  );
});

function isControl(character: string): boolean {
  return /\p{Cc}/u.test(character);
}

async function rejectedWith(sql: string): Promise<string> {
  const seen = await outcome(sql);
  return Array.isArray(seen) ? String(seen[0]).replace('sandbox.', '') : 'accepted';
}

test('a query with such white space has the rows of the same query with spaces', async () => {
  const plain =
    "SELECT method, count() AS n FROM edge_logs WHERE path LIKE '%a%' GROUP BY method ORDER BY method";
  const rows = async (sql: string): Promise<string> => {
    const { sql: statement } = sandbox.assemble(await sandbox.check(sql), 10);
    return world.run(statement);
  };
  const expected = await rows(plain);
  for (const space of ODD) expect(await rows(everywhere(plain, space))).toBe(expected);
});
