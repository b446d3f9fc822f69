// How the engine interprets string arguments of allowed functions, tested on the engine itself: an engine release that adds a
// function which parses types or function names from strings fails here.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Session } from 'chdb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalName } from '../../../src/guard/sandbox/functions/aliases.ts';
import { createFunctionPolicy, uncheckedBy } from '../../../src/guard/sandbox/functions/policy.ts';
import { returnsStates } from '../../../src/guard/sandbox/scan/states.ts';
import { argumentIndex, stringArgument } from '../../../src/guard/sandbox/string-arguments.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-strings-'));
let session: Session;

beforeAll(() => {
  session = new Session(join(folder, 'data'));
});
afterAll(() => {
  session.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Types of what an expression gives, or the engine's failure. Nothing is run, so a failure leaves no rows behind.
 * Synchronous, which takes a third of the time: callers yield after each function.
 */
function analyse(sql: string): { readonly types: string; readonly failure: string } {
  try {
    return { types: session.query(`DESCRIBE (SELECT ${sql})`, 'TSV'), failure: '' };
  } catch (error) {
    return { types: '', failure: String(error) };
  }
}

const PROBE = 'NoSuchProbe';

/** The release of the engine whose functions were last probed, by `npm run fuzz`. */
const PROBED_RELEASE = '26.7.2.1';

const LAMBDA = 'x -> x';

/**
 * Values that make calls go as far as to look at the probe. The second is a type, some hold types of their own. These find
 * whatever all of them find in the engine's present functions.
 */
const USUAL_FILLERS = ['1', "'UInt8'", '[(1, 2)]', 'now()', '1::Dynamic', '1::Variant(UInt8)'] as const;
/** For other functions: after an update of the engine, `npm run fuzz`. */
const MORE_FILLERS = ['[1]', "['a']", "map('a', 1)", "(1, 'a')", "'{}'::JSON", LAMBDA] as const;
const FILLERS = process.env['FUZZ_CASES'] === undefined ? USUAL_FILLERS : [...USUAL_FILLERS, ...MORE_FILLERS];

/** What the engine says about strings that are values, or choose among things that are built into a function. */
const HARMLESS = [
  /time ?zone/i,
  /^(?:Cannot|Unable to|Invalid|Neither|There are no groups|Unexpected value of maximum unit)/,
  /Unknown tokenizer/,
  /ESCAPE argument/,
  /^GROUPING function/,
  /^Aggregate function \w+ doesn't support a parameter/,
];

/** What functions outside the list read that an endpoint's author decides about: dictionaries, lists of domains, text of maps. */
const OUTSIDE =
  /^(?:Dictionary \(|TLD list|Incorrect WKT format|Unsupported first parameter \w+ of AggregateFunction groupNumericIndexedVector)/;

const { families } = createFunctionPolicy({ allow: [], deny: [] });
const aggregates = families['aggregate'] ?? [];
const names = Object.values(families).flat();

/** Of functions that read no string of interest, a twelfth; all of them with `npm run fuzz`: they depend on the release alone. */
function isProbed(name: string): boolean {
  if (process.env['FUZZ_CASES'] !== undefined || stringArgument(name) !== undefined) return true;
  return Buffer.from(name).reduce((sum, byte) => sum + byte, 0) % 12 === 0;
}

interface Seen {
  readonly name: string;
  readonly position: number;
  readonly count: number;
  readonly said: string;
}

/** Arguments with the probe among them; those beside it are equal, except that a lambda stands first alone. */
function argumentsWith(position: number, count: number, filler: string): readonly string[] {
  const first = position === 0 ? 1 : 0;
  return Array.from({ length: count }, (_, i) => {
    if (i === position) return `'${PROBE}'`;
    return filler === LAMBDA && i > first ? '[1]' : filler;
  });
}

/** Half of the fillers for functions that are not known to read strings; all of them with `npm run fuzz`. */
function fillersOf(name: string): readonly string[] {
  if (process.env['FUZZ_CASES'] !== undefined || stringArgument(name) !== undefined) return FILLERS;
  const [first = 0] = Buffer.from(name.slice(-1));
  return FILLERS.filter((_, index) => (index + first) % 2 === 0);
}

/** Calls with the probe at each position; those in which the engine names it. */
async function* probe(name: string): AsyncGenerator<Seen> {
  await setImmediate();
  const usual = fillersOf(name);
  for (let count = 1; count <= 4; count++) {
    const positions = count < 4 ? [0, 1, 2].slice(0, count) : [0, 3];
    for (const position of positions) {
      const fillers = count === 1 ? ['1'] : count < 4 ? usual : ['1', "'UInt8'", '[1]'];
      for (const filler of fillers) {
        const { failure } = analyse(`${name}(${argumentsWith(position, count, filler).join(', ')})`);
        // Another number of arguments, or another syntax.
        if (/Code: (?:35|42|62)\b/.test(failure)) break;
        const said = messageOf(failure);
        if (said.includes(PROBE)) yield { name, position, count, said };
      }
    }
  }
}

/** The message alone, without the query that it repeats. */
function messageOf(failure: string): string {
  const [, message = ''] = /DB::Exception: (.*)/s.exec(failure) ?? [];
  return message.replace(/(?:[:.] In scope|: while|[Ww]hile (?:executing|processing|converting)).*$/s, '');
}

function isHarmless({ said }: Pick<Seen, 'said'>): boolean {
  return HARMLESS.some((pattern) => pattern.test(said));
}

describe('every allowed function', () => {
  const LONG_MS = 900_000;

  test(
    'that reads a type, a function or a subcolumn from a string is in the table with that argument',
    { timeout: LONG_MS },
    async () => {
      const unknown: string[] = [];
      const found = new Set<string>();
      for (const name of names.filter(isProbed)) {
        for await (const seen of probe(name)) {
          if (isHarmless(seen)) continue;
          const known = stringArgument(name);
          if (known !== undefined && argumentIndex(known, seen.count) === seen.position) found.add(name);
          else unknown.push(`${name}, argument ${seen.position + 1} of ${seen.count}: ${seen.said}`);
        }
      }
      expect(unknown).toEqual([]);
      // The probing itself works: it finds all that the table has.
      expect([...found].toSorted()).toEqual(
        names.filter((name) => stringArgument(name) !== undefined).toSorted(),
      );
    },
  );

  test(
    'or any other function of the engine that an endpoint can allow reads no type, format or setting in a string',
    { timeout: LONG_MS },
    async () => {
      if (process.env['FUZZ_CASES'] === undefined) {
        // What functions read depends on the engine's release alone: all of them are probed once for each.
        const version = await session.queryAsync('SELECT version()', { format: 'TSV' });
        expect(version.text().trim(), 'run `npm run fuzz`, then set PROBED_RELEASE').toBe(PROBED_RELEASE);
        return;
      }
      const result = await session.queryAsync('SELECT name, is_aggregate FROM system.functions', {
        format: 'TSV',
      });
      const all = result
        .text()
        .trim()
        .split('\n')
        .map((line) => line.split('\t'));
      const allowed = new Set(names.map((name) => name.toLowerCase()));
      const read: string[] = [];
      for (const [name = '', isAggregate] of all) {
        if (allowed.has(name.toLowerCase()) || stringArgument(name) !== undefined) continue;
        if (uncheckedBy(name) !== undefined) continue;
        for await (const { said } of probe(name)) {
          if (!isHarmless({ said }) && !OUTSIDE.test(said)) read.push(`${name}: ${said}`);
        }
        if (isAggregate !== '1') continue;
        const said = messageOf(analyse(`${name}('${PROBE}')(1)`).failure);
        if (said.includes(PROBE) && !isHarmless({ said }) && !OUTSIDE.test(said))
          read.push(`${name}: ${said}`);
      }
      expect(read).toEqual([]);
      for (const name of ['formatRow', 'getSetting', 'getTypeSerializationStreams']) {
        const seen = [];
        for await (const { said } of probe(name)) seen.push(said);
        expect([name, seen.some((said) => said.includes(PROBE))]).toEqual([name, true]);
      }
    },
  );

  test('that returns an aggregate function state is recognised', { timeout: LONG_MS }, async () => {
    const unknown: string[] = [];
    for (const name of names.filter((each) => isProbed(each) || returnsStates(each))) {
      await setImmediate();
      for (const filler of ['', '1', "'a'", '[1]', '1, 1', '[1], [1]']) {
        const { types } = analyse(`${name}(${filler})`);
        if (types.includes('AggregateFunction') && !returnsStates(name)) unknown.push(`${name}(${filler})`);
      }
    }
    expect(unknown).toEqual([]);
    expect(analyse('bitmapBuild([1])').types).toContain('AggregateFunction');
  });

  test('that aggregates interprets no string parameter', { timeout: LONG_MS }, async () => {
    const read: string[] = [];
    for (const name of aggregates.filter(isProbed)) {
      await setImmediate();
      for (const values of ['', '1', "'a'", '1, 1', 'now(), 1', '[1]']) {
        for (const parameters of [`'${PROBE}'`, `1, '${PROBE}'`, `'${PROBE}', 1`]) {
          const said = messageOf(analyse(`${name}(${parameters})(${values})`).failure);
          if (said.includes(PROBE) && !isHarmless({ said })) read.push(`${name}: ${said}`);
        }
      }
    }
    expect(read).toEqual([]);
    expect(messageOf(analyse(`groupFormat('${PROBE}')(1)`).failure)).toContain(PROBE);
  });

  test('has the aliases of the engine', async () => {
    const result = await session.queryAsync(
      "SELECT name, alias_to FROM system.functions WHERE alias_to != ''",
      { format: 'TSV' },
    );
    const aliases = result
      .text()
      .trim()
      .split('\n')
      .map((line) => line.toLowerCase().split('\t'));
    const allowed = new Set(names.map((name) => name.toLowerCase()));
    const wrong = aliases.filter(
      ([alias = '', name = '']) => allowed.has(alias) && alias !== name && canonicalName(alias) !== name,
    );
    expect(wrong).toEqual([]);
    const targets = new Map(aliases.map(([alias = '', name = '']) => [alias, name]));
    const stale = [...allowed].filter((name) => canonicalName(name) !== (targets.get(name) ?? name));
    expect(stale).toEqual([]);
  });
});

/** The text of a state of sum that holds 5. */
const TEXT = String.raw`'\x05\0\0\0\0\0\0\0'`;

/** Why states go by an allow-list of places: each of these reads one from text. */
test.each([
  ['IN with a subquery', `SELECT ${TEXT} IN (SELECT sumState(toUInt8(5)))`, '1'],
  [
    'INTERPOLATE',
    `SELECT sumMerge(s) FROM (SELECT n, s FROM (SELECT 1 AS n, sumState(toUInt8(1)) AS s) ORDER BY n WITH FILL TO 3 INTERPOLATE (s AS ${TEXT}))`,
    '6',
  ],
])('the engine converts text to a state by %s', async (_why, sql, seen) => {
  expect((await session.queryAsync(sql, { format: 'TSV' })).text().trim()).toBe(seen);
});

test.each([
  [
    'CASE',
    String.raw`SELECT CASE [s] WHEN '[\'x\']' THEN 1 ELSE 2 END FROM (SELECT groupBitmapState(1) AS s)`,
  ],
  [
    'transform',
    String.raw`SELECT transform([s], ['[\'x\']'], [1], 2) FROM (SELECT groupBitmapState(1) AS s)`,
  ],
  ['IN with a list', String.raw`SELECT map(1, s) IN ('{1:\'x\'}') FROM (SELECT groupBitmapState(1) AS s)`],
])('the engine reads text as a bitmap by %s', async (_why, sql) => {
  await expect(session.queryAsync(`${sql} FORMAT Null`)).rejects.toThrow('Unknown type of roaring bitmap');
  // A failed query may leak into the next one of its connection.
  session.close();
  session = new Session(join(folder, 'data'));
});
