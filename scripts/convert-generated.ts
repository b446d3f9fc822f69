// Generates expressions over the functions and operators that are converted, and compares their conversions with the database systems
// that run here: equal, unconverted, rejected by ClickHouse, or wrong. Run by hand: `npm run convert:expected -- --generated [dialect …]`, with
// the variables of `convert:expected`. SEED and CASES (for each function) choose the expressions. Exits with 1 if a value is wrong.
import { createConverter, type Converter } from '../src/convert/convert.ts';
import { VALUE_FUNCTIONS } from '../src/dialects/functions/value-functions.ts';
import { statusOf } from '../src/dialects/conversion.ts';
import { difference } from '../test/convert/compare-rows.ts';
import { columnsOf, statementsFor } from '../test/convert/corpus/tables.ts';
import { openOracle, type Oracle } from '../test/sql/oracle.ts';
import { openSystem, type Run } from './systems.ts';

const DIALECTS = ['postgresql', 'mariadb', 'sqlite'] as const;
type Dialect = (typeof DIALECTS)[number];

const COLUMNS = ['i', 'ni', 'f', 'nf', 'm', 's', 'ns', 'b', 'nb', 'd', 'early', 'ts', 'nts', 'js'];
const CONSTANTS = [
  'NULL',
  '0',
  '-1',
  '2',
  '1.5',
  '-2.5',
  "''",
  "'a'",
  "'é'",
  "' x '",
  "'2024-02-29'",
  "'$.a'",
  "'12'",
];
const OPERATORS = '+ - * / % || = <> < >= AND OR IS,DISTINCT,FROM LIKE IN NOT,IN'.split(' ');
const TYPES: Readonly<Record<Dialect, readonly string[]>> = {
  postgresql: [
    'integer',
    'bigint',
    'numeric',
    'numeric(6,1)',
    'double precision',
    'text',
    'varchar(2)',
    'boolean',
    'date',
    'timestamp',
  ],
  mariadb: ['signed', 'unsigned', 'decimal(6,1)', 'double', 'char', 'char(2)', 'date', 'datetime'],
  sqlite: ['integer', 'real', 'text', 'numeric'],
};
const AGGREGATES =
  'count sum avg min max stddev_samp stddev_pop var_samp bool_or bool_and string_agg group_concat array_agg bit_or'.split(
    ' ',
  );
const WINDOWS =
  'lag lead first_value last_value nth_value ntile rank dense_rank percent_rank cume_dist row_number'.split(
    ' ',
  );
const FRAMES = [
  '',
  'ORDER BY id',
  'ORDER BY ni, id',
  'PARTITION BY b ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING',
  'ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING',
  'ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING',
  'ORDER BY ni RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
];

const SEED = Number(process.env['SEED'] ?? '1');
const CASES = Number(process.env['CASES'] ?? '30');

/** Numbers from 0 to 1 that the seed decides. Source: Marsaglia's xorshift. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const random = randomOf(SEED);
const one = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
const operand = (): string => (random() < 0.6 ? one(COLUMNS) : one(CONSTANTS));

interface Case {
  readonly name: string;
  readonly text: string;
}

const rowsOf = (name: string, expression: string): Case => ({
  name,
  text: `SELECT id, ${expression} AS x FROM facts ORDER BY id`,
});

function functionCases(): readonly Case[] {
  return [...VALUE_FUNCTIONS.keys()].flatMap((name) =>
    Array.from({ length: CASES }, () => {
      const rest = Array.from({ length: Math.floor(random() * 3) }, operand);
      return rowsOf(name, `${name}(${[one(COLUMNS), ...rest].join(', ')})`);
    }),
  );
}

function operatorCases(): readonly Case[] {
  return OPERATORS.map((each) => each.replaceAll(',', ' ')).flatMap((operator) =>
    Array.from({ length: CASES * 3 }, () => {
      const right = operator.endsWith('IN')
        ? `(${[operand(), operand(), one(CONSTANTS)].join(', ')})`
        : operand();
      return rowsOf(operator, `${random() < 0.2 ? 'NOT ' : ''}(${one(COLUMNS)} ${operator} ${right})`);
    }),
  );
}

function castCases(dialect: Dialect): readonly Case[] {
  return TYPES[dialect].flatMap((type) =>
    [...COLUMNS, ...CONSTANTS].map((own) => rowsOf(`CAST ${type}`, `CAST(${own} AS ${type})`)),
  );
}

function aggregateCases(): readonly Case[] {
  return AGGREGATES.flatMap((name) =>
    Array.from({ length: CASES }, (): Case => {
      const more = /_agg$|concat/.test(name) && name !== 'array_agg' && random() < 0.8 ? ", '-'" : '';
      const call = `${name}(${random() < 0.2 ? 'DISTINCT ' : ''}${one(COLUMNS)}${more})`;
      const empty = `${name}(${one(['id', 'i', 'ni', 'f', 's', 'ns', 'b', 'd'])}${more})`;
      const texts = [
        `SELECT ${call} AS x FROM facts`,
        `SELECT b, ${call} AS x FROM facts GROUP BY b ORDER BY b`,
        `SELECT ${empty} AS x FROM no_facts`,
        `SELECT b, ${empty} AS x FROM no_facts GROUP BY b`,
        `SELECT ${call} FILTER (WHERE id > 99) AS x FROM facts`,
        `SELECT id, ${call} OVER (${one(FRAMES)}) AS x FROM facts ORDER BY id`,
        `SELECT id, (SELECT ${empty} FROM no_facts AS o WHERE o.id = facts.id) AS x FROM facts ORDER BY id`,
      ];
      return { name, text: one(texts) };
    }),
  );
}

function windowCases(): readonly Case[] {
  return WINDOWS.flatMap((name) =>
    Array.from({ length: CASES }, () => {
      const own = /rank|dist|row_number/.test(name) ? '' : name === 'ntile' ? '3' : one(COLUMNS);
      const rest =
        /lag|lead/.test(name) && random() < 0.6 ? `, ${one(['1', '2'])}` : name === 'nth_value' ? ', 2' : '';
      return rowsOf(name, `${name}(${own}${rest}) OVER (${one(FRAMES.slice(1))})`);
    }),
  );
}

type Outcome = 'equal' | 'unconverted' | 'rejected' | 'wrong';

interface Compared {
  readonly outcome: Outcome;
  readonly report: string;
}

async function compare(
  text: string,
  rows: ReturnType<Run>,
  { dialect, converter, oracle }: { dialect: Dialect; converter: Converter; oracle: Oracle },
): Promise<Compared> {
  const conversion = await converter.convert(text, {
    dialect,
    columnsOf: (table) => columnsOf(table.at(-1)?.toLowerCase() ?? ''),
  });
  if (conversion.sql === undefined || statusOf(conversion) !== 'converted')
    return { outcome: 'unconverted', report: '' };
  try {
    const answer = await oracle.ask(
      `${conversion.sql}${/\bSETTINGS\b/.test(conversion.sql) ? ',' : ' SETTINGS'} output_format_json_quote_denormals = 1`,
      'JSONCompactEachRow',
    );
    const lines = answer.split('\n').filter((line) => line !== '');
    const actual = lines.map((line) => JSON.parse(line) as readonly unknown[]); // the format's lines are lists
    const found = difference(rows, actual, /ORDER BY \w+$/.test(text));
    return found === undefined
      ? { outcome: 'equal', report: '' }
      : { outcome: 'wrong', report: `${text}\n   ${found}\n   ${conversion.sql.replaceAll(/\s+/g, ' ')}` };
  } catch (error) {
    return {
      outcome: 'rejected',
      report: `${text}\n   ${String(error).slice(0, 200)}\n   ${conversion.sql.replaceAll(/\s+/g, ' ')}`,
    };
  }
}

async function compareDialect(dialect: Dialect, folder: string): Promise<number> {
  const run = openSystem(dialect, folder);
  const [converter, oracle] = [createConverter(), openOracle()];
  const counts: Record<Outcome, number> = { equal: 0, unconverted: 0, rejected: 0, wrong: 0 };
  try {
    for (const statement of statementsFor('clickhouse')) await oracle.ask(statement);
    const cases = [
      ...functionCases(),
      ...operatorCases(),
      ...castCases(dialect),
      ...aggregateCases(),
      ...windowCases(),
    ];
    for (const { name, text } of cases) {
      let rows: ReturnType<Run>;
      try {
        rows = run(text);
      } catch {
        continue; // the system has no such function, or not for these types
      }
      const { outcome, report } = await compare(text, rows, { dialect, converter, oracle });
      counts[outcome]++;
      if (outcome === 'wrong' || outcome === 'rejected')
        process.stdout.write(`${outcome} ${dialect} ${name}: ${report}\n`);
    }
  } finally {
    oracle.close();
    await converter.close();
  }
  process.stdout.write(
    `${dialect}: ${Object.entries(counts)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', ')}\n`,
  );
  return counts.wrong;
}

/** Compares the conversions of those dialects. */
export async function compareGenerated(folder: string, dialects: readonly string[]): Promise<void> {
  for (const dialect of DIALECTS) {
    if (dialects.length > 0 && !dialects.includes(dialect)) continue;
    if ((await compareDialect(dialect, folder)) > 0) process.exitCode = 1;
  }
}
