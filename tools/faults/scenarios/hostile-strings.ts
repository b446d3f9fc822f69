// Strings that would make the engine parse a type, function or aggregate state chosen by the caller: each is rejected first.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { STRING_ATTACKS } from '../../../test/guard/sandbox/string-attacks.ts';
import { statusOf, type Asked } from '../ask.ts';
import { count, inParallel, startLoad } from '../load.ts';
import type { Random } from '../random.ts';
import { exact, onlyStatuses, type Context, type Scenario } from '../scenario.ts';
import { serve } from '../serving.ts';

const MADE = { short: 150, long: 5_000 };
const AT_ONCE = 4;
const CORPUS = join(import.meta.dirname, '../../../test/corpus');
const FORMATS = ['json', 'ndjson', 'csv', 'parquet', 'arrow'];

/** Not cached: every call reaches the engine. */
const ENDPOINTS = { saved: 'query: SELECT count() AS n, sum(ms) AS total FROM app.logs\n' };

export const hostileStrings: Scenario = {
  name: 'hostile-strings',
  pass: 'strings that name aggregate state types, functions and formats, in every form and 5,000 random variants: each 400, saved queries served throughout',
  seconds: { short: 120, long: 600 },
  run: async (context) => {
    const seeds = await readFile(join(CORPUS, 'seeds.sql'), 'utf8');
    const serving = await serve(context, {
      endpoints: { ...ENDPOINTS, corpus: await corpusEndpoint() },
      seeds,
      env: { MILLRACE_CONNECTIONS: '4' },
    });
    const [hostile, saved] = [new Map<string, number>(), new Map<string, number>()];
    const load = startLoad(context, 2, async () => {
      count(saved, statusOf(await serving.call('saved')));
    });
    const queries = [...STRING_ATTACKS.map(({ sql }) => sql.replace('«', '')), ...made(context)];
    await inParallel(queries.length, AT_ONCE, async (n) => {
      if (n % 500 === 0) context.note(`${n} of ${queries.length}`);
      const sql = queries[n] ?? '';
      const verdict = judge(await serving.call(`corpus?${ask(sql, context.random.pick(FORMATS))}`));
      count(hostile, verdict);
      if (!isRejected(verdict)) context.note(`${verdict}: ${sql.slice(0, 300)}`);
    });
    await load.stop();
    return [
      onlyStatuses(`of ${queries.length}`, hostile, isRejected),
      onlyStatuses('concurrent saved queries', saved, (status) => status === '200'),
      exact('the next one', (await serving.call('saved')).status, 200),
      exact('a valid query', (await serving.call(`corpus?${ask(HONEST)}`)).status, 200),
      exact('the process', serving.running.child.exitCode ?? 'running', 'running'),
    ];
  },
};

function ask(sql: string, format = 'json'): string {
  return new URLSearchParams({ project: 'mine', sql, format }).toString();
}

/** Leaves out the files that `serve` writes itself. */
async function corpusEndpoint(): Promise<string> {
  const text = await readFile(join(CORPUS, 'corpus.yaml'), 'utf8');
  return text.replace(/^(#|id:|name:).*\n/gm, '');
}

/** The status, and the problem code. */
function judge(asked: Asked): string {
  const status = statusOf(asked);
  if (status === '200') return status;
  return `${status} ${/"code":\s*"([a-z_.]+)"/.exec(asked.body.toString())?.[1] ?? 'without a code'}`;
}

/** Rejected for the string's content or form, and for no other reason, such as a disabled sandbox. */
function isRejected(verdict: string): boolean {
  return /^400 sandbox\.(?:type_denied|function_denied|syntax_unsupported)$/.test(verdict);
}

/** The same forms with allowed types and functions. */
const HONEST =
  "SELECT CAST(ms, 'Nullable(Float64)') AS a, JSONExtract('[1]', 'Array(UInt8)') AS b, arrayReduce('sum', [1]) AS c FROM edge_logs";

const STATES = [
  'AggregateFunction(groupBitmap, UInt8)',
  'Array(AggregateFunction(sum, UInt64))',
  'Tuple(UInt8, AggregateFunction(uniq, String))',
  'Variant(UInt8, AggregateFunction(quantileTDigest, Float64))',
  'Map(String, AggregateFunction(groupArray, String))',
  'SimpleAggregateFunction(sum, UInt64)',
];
const FUNCTIONS = ['aggThrow', 'stochasticLinearRegression', 'groupFormat', 'flameGraph', 'aggThrowIf'];
const READERS = [
  (type: string) => `CAST(id, ${type})`,
  (type: string) => `accurateCastOrNull(id, ${type})`,
  (type: string) => `JSONExtract(id, 'a', ${type})`,
  (type: string) => `JSONExtractKeysAndValues(id, ${type})`,
  (type: string) => `reinterpret(id, ${type})`,
  (type: string) => `defaultValueOfTypeName(${type})`,
  (type: string) => `arrayMap(x -> CAST(x, ${type}), [id])`,
];
const CALLERS = [
  (name: string) => `arrayReduce(${name}, [1])`,
  (name: string) => `arrayReduceInRanges(${name}, [(1, 1)], [1])`,
  (name: string) => `initializeAggregation(${name}, 1)`,
];

/** Types and functions spelled so that a search for their names does not find them. */
function made({ random, isShort }: Context): readonly string[] {
  return Array.from({ length: isShort ? MADE.short : MADE.long }, () => {
    const isType = random.isLucky(0.7);
    const hidden = hide(random, random.pick(isType ? STATES : FUNCTIONS));
    const expression = random.pick(isType ? READERS : CALLERS)(hidden);
    return `SELECT ${expression} FROM edge_logs`;
  });
}

function hide(random: Random, text: string): string {
  const at = 1 + random.below(text.length - 1);
  const [head, tail] = [text.slice(0, at), text.slice(at)];
  const codes = text.split('').map((char) => char.charCodeAt(0));
  return random.pick([
    () =>
      `'${text
        .split('')
        .map((char) => (random.isLucky(0.3) ? escaped(char) : char))
        .join('')}'`,
    () => `'${head}' || '${tail}'`,
    () => `concat('${head}', '${tail}')`,
    () => `reverse('${text.split('').toReversed().join('')}')`,
    () => `unhex('${Buffer.from(text).toString('hex')}')`,
    () => `base64Decode('${Buffer.from(text).toString('base64')}')`,
    () => `char(${codes.join(', ')})`,
    () => `replaceAll('${head}~${tail}', '~', '')`,
    () => `(SELECT '${head}' || '${tail}')`,
    () => `arrayStringConcat(['${head}', '${tail}'])`,
  ])();
}

function escaped(char: string): string {
  return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
