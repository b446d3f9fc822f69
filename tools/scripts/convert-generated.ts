// Generates expressions over the functions and operators that are converted, and compares their conversions with the database systems
// that run here: equal, unconverted, rejected by ClickHouse, or wrong. Run by hand: `npm run generate -- --expected --generated [dialect …]`, with
// the variables of `npm run generate -- --expected`. SEED and CASES (for each function) choose the expressions; OUTCOMES is a file for the outcome of
// each. Exits with 1 if a value is wrong.
import { appendFileSync } from 'node:fs';
import { createConverter, type Converter } from '../../src/cli/convert/convert.ts';
import { ALL_FUNCTIONS } from '../../src/sql/dialects/dialects.ts';
import { statusOf } from '../../src/sql/dialects/conversion.ts';
import { difference } from '../../test/cli/convert/compare-rows.ts';
import { columnsOf, statementsFor } from '../../test/cli/convert/corpus/tables.ts';
import { openOracle, type Oracle } from '../../test/sql/clickhouse/oracle.ts';
import { openSystem, type Answer } from './systems.ts';

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
const OPERATORS =
  '+ - * / % || & | << >> = <> < <= > >= AND OR IS,DISTINCT,FROM LIKE IN NOT,IN DIV <=> XOR'.split(' ');
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

/** So many candidates are generated for each expression that is compared: the systems reject most of them. */
const CANDIDATES = 12;

/** No two rows are equal in these: which of them is the first one is not determined. */
const SURE_FRAMES = FRAMES.filter((each) => each.startsWith('ORDER BY id') || /, id|BY id/.test(each));

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

let random = randomOf(SEED);

/** What follows depends on the seed and the name only, not on what else there is. */
function startOf(name: string): string {
  random = randomOf(
    Array.from(name).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, SEED),
  );
  return name;
}
const one = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
let constants: readonly string[] = CONSTANTS;
const operand = (): string => (random() < 0.6 ? one(COLUMNS) : one(constants));

interface Case {
  readonly name: string;
  readonly text: string;
}

const rowsOf = (name: string, expression: string): Case => ({
  name,
  text: `SELECT id, ${expression} AS x FROM facts ORDER BY id`,
});

function candidates(name: string, generate: () => Case): readonly Case[] {
  startOf(name);
  return Array.from({ length: CASES * CANDIDATES }, generate);
}

/** Functions that write JSON; PostgreSQL's write a string here. */
const WRITES_JSON = /^(?:to_jsonb?|jsonb?_build_\w+|json_(?:array|object))$/;

function functionCases(dialect: Dialect): readonly Case[] {
  return [...new Set(ALL_FUNCTIONS.values.map(([name]) => name))].flatMap((name) =>
    candidates(name, () => {
      const isAggregate = name === 'min' || name === 'max'; // of one argument
      const rest = Array.from({ length: Math.floor(random() * 4) + Number(isAggregate) }, operand);
      const call = `${name}(${[one(COLUMNS), ...rest].join(', ')})`;
      if (dialect === 'sqlite' || !WRITES_JSON.test(name)) return rowsOf(name, call);
      // The column js is a string in ClickHouse, and of type JSON there.
      const ofText = call.replaceAll(/\bjs\b/g, 'ns');
      return rowsOf(name, dialect === 'postgresql' ? `CAST(${ofText} AS text)` : ofText);
    }),
  );
}

function operatorCases(): readonly Case[] {
  return OPERATORS.map((each) => each.replaceAll(',', ' ')).flatMap((operator) =>
    candidates(operator, () => {
      const right = operator.endsWith('IN')
        ? `(${[operand(), operand(), one(CONSTANTS)].join(', ')})`
        : operand();
      return rowsOf(operator, `${random() < 0.2 ? 'NOT ' : ''}(${one(COLUMNS)} ${operator} ${right})`);
    }),
  );
}

/** Expressions of expressions. */
function nestedCases(): readonly Case[] {
  const number = (): string => one(['i', 'ni', 'f', 'nf', 'm', '2', '0.1', '-1.5', 'id']);
  const sum = (): string => `(${number()} ${one(['+', '-', '*', '/'])} ${number()})`;
  const test = (): string =>
    `${one([number(), sum()])} ${one(['=', '<>', '<', '>='])} ${one([number(), sum()])}`;
  const forms: Readonly<Record<string, () => string>> = {
    arithmetic: () => `${sum()} ${one(['+', '-', '*', '/', '%'])} ${number()}`,
    comparison: test,
    negation: () => `NOT (${test()} ${one(['AND', 'OR'])} ${test()})`,
    case: () =>
      `CASE WHEN ${test()} THEN ${operand()} WHEN ${test()} THEN ${operand()} ELSE ${operand()} END`,
    'simple case': () => `CASE ${operand()} WHEN ${operand()} THEN 1 WHEN ${operand()} THEN 2 END`,
    between: () => `${operand()} ${one(['', 'NOT '])}BETWEEN ${operand()} AND ${operand()}`,
    is: () =>
      `${one([operand(), `(${test()})`])} IS ${one(['', 'NOT '])}${one(['NULL', 'TRUE', 'FALSE', 'UNKNOWN'])}`,
    row: () => `(${operand()}, ${operand()}) ${one(['=', '<', '<>'])} (${operand()}, ${operand()})`,
    minus: () => `-(${one([operand(), sum()])})`,
    rounded: () => `round(${sum()}, ${one(['0', '1', '2'])})`,
  };
  return Object.entries(forms).flatMap(([name, form]) => candidates(name, () => rowsOf(name, form())));
}

/** Aggregates of groups and of all rows, with conditions on them. */
function groupCases(): readonly Case[] {
  const number = (): string => one(['i', 'ni', 'f', 'nf', 'm', 'id']);
  const total = (): string =>
    `${one(['sum', 'avg', 'min', 'max', 'count'])}(${one(['', 'DISTINCT '])}${number()})`;
  return candidates('groups', () => {
    const key = one(['b', 'nb', 's', 'ns', 'd', 'ni']);
    const table = one(['facts', 'facts', 'facts', 'facts WHERE id > 99']);
    const texts = [
      `SELECT ${key}, ${total()} ${one(['+', '-', '*', '/'])} ${total()} AS x FROM ${table} GROUP BY ${key}`,
      `SELECT ${key}, ${total()} AS x FROM ${table} GROUP BY ${key} HAVING ${total()} ${one(['>', '<=', '<>'])} ${total()}`,
      `SELECT ${total()} AS x, ${total()} AS y FROM ${table}`,
      `SELECT DISTINCT ${key} AS x FROM facts ORDER BY x`,
      `SELECT id, (SELECT ${total()} FROM facts AS o WHERE o.id < facts.id) AS x FROM facts ORDER BY id`,
    ];
    return { name: 'groups', text: one(texts) };
  });
}

function castCases(dialect: Dialect): readonly Case[] {
  return TYPES[dialect].flatMap((type) =>
    [...COLUMNS, ...CONSTANTS].map((own) => rowsOf(`CAST ${type}`, `CAST(${own} AS ${type})`)),
  );
}

function aggregateCases(): readonly Case[] {
  return AGGREGATES.flatMap((name) =>
    candidates(name, () => {
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
    candidates(name, () => {
      const isRank = /rank|dist/.test(name);
      const own = isRank || name === 'row_number' ? '' : name === 'ntile' ? '3' : one(COLUMNS);
      const rest =
        /lag|lead/.test(name) && random() < 0.6 ? `, ${one(['1', '2'])}` : name === 'nth_value' ? ', 2' : '';
      return rowsOf(name, `${name}(${own}${rest}) OVER (${one(isRank ? FRAMES.slice(1) : SURE_FRAMES)})`);
    }),
  );
}

/** The column js is of type JSON in the system, and a string in ClickHouse: only functions of JSON read the same value of both. */
const withText =
  (type: string) =>
  ({ name, text }: Case): Case =>
    /json/.test(name) ? { name, text } : { name, text: text.replaceAll(/\bjs\b/g, `CAST(js AS ${type})`) };

const TEXTS: Readonly<Record<Dialect, string | undefined>> = {
  postgresql: 'text',
  mariadb: 'char',
  sqlite: undefined,
};

/** Each expression of a dialect once. The seed decides them, whatever other dialects are compared. */
function casesOf(dialect: Dialect): readonly Case[] {
  // Only PostgreSQL has NaN and infinity.
  constants =
    dialect === 'postgresql'
      ? [...CONSTANTS, "'NaN'::float8", "'NaN'::float8", "'-Infinity'::float8"]
      : CONSTANTS;
  const cases = [
    ...functionCases(dialect),
    ...operatorCases(),
    ...nestedCases(),
    ...groupCases(),
    ...castCases(dialect),
    ...aggregateCases(),
    ...windowCases(),
  ];
  const type = TEXTS[dialect];
  const own = type === undefined ? cases : cases.map(withText(type));
  return [...new Map(own.map((each) => [each.text, each])).values()];
}

type Outcome = 'equal' | 'unconverted' | 'rejected' | 'wrong';

interface Compared {
  readonly outcome: Outcome;
  readonly report: string;
}

interface Comparing {
  readonly dialect: Dialect;
  readonly converter: Converter;
  readonly oracle: Oracle;
}

async function compare(
  text: string,
  rows: Exclude<Answer, Error>,
  { dialect, converter, oracle }: Comparing,
): Promise<Compared> {
  const conversion = await converter.convert(text, {
    dialect,
    columnsOf: (table) => columnsOf(table.at(-1)?.toLowerCase() ?? ''),
  });
  if (conversion.sql === undefined || statusOf(conversion) !== 'converted') {
    const note = conversion.notes.find(({ severity }) => severity !== 'note');
    return { outcome: 'unconverted', report: note?.message ?? '' };
  }
  try {
    const answer = await oracle.ask(
      `${conversion.sql}${/\bSETTINGS\b/.test(conversion.sql) ? ',' : ' SETTINGS'} output_format_json_quote_denormals = 1`,
      'JSONCompactEachRow',
    );
    const lines = answer.split('\n').filter((line) => line !== '');
    const actual = lines.map((line) => JSON.parse(line) as readonly unknown[]); // the format's lines are lists
    const plain = dialect === 'mariadb' && EXTREME.test(text) ? withoutCase : withArrays;
    const found = difference(plain(rows), plain(actual), /ORDER BY \w+$/.test(text));
    return found === undefined
      ? { outcome: 'equal', report: '' }
      : { outcome: 'wrong', report: `${found}\n   ${conversion.sql.replaceAll(/\s+/g, ' ')}` };
  } catch (error) {
    return {
      outcome: 'rejected',
      report: `${String(error).slice(0, 200)}\n   ${conversion.sql.replaceAll(/\s+/g, ' ')}`,
    };
  }
}

/** The least and the greatest string of those that a collation has as equal may be any of them. */
const EXTREME = /\b(?:min|max)\(/i;

const withoutCase = (rows: Exclude<Answer, Error>): Exclude<Answer, Error> =>
  withArrays(rows).map((row) => row.map((cell) => (typeof cell === 'string' ? cell.toLowerCase() : cell)));

/** An array that is NULL is an empty one in ClickHouse, which the guides say. */
const withArrays = (rows: Exclude<Answer, Error>): Exclude<Answer, Error> =>
  rows.map((row) =>
    row.map((cell) => ((Array.isArray(cell) && cell.length === 0) || cell === '[]' ? null : cell)),
  );

/** So many queries are one program of a system's client. */
const PROGRAM = 1000;

async function compareDialect(dialect: Dialect, folder: string): Promise<number> {
  const runAll = openSystem(dialect, folder);
  const [converter, oracle] = [createConverter(), openOracle()];
  const done = new Map<string, number>();
  const counts: Record<Outcome, number> = { equal: 0, unconverted: 0, rejected: 0, wrong: 0 };
  try {
    for (const statement of statementsFor('clickhouse')) await oracle.ask(statement);
    await oracle.ask('SET max_execution_time = 5');
    const cases = casesOf(dialect);
    for (let start = 0; start < cases.length; start += PROGRAM) {
      const some = cases.slice(start, start + PROGRAM);
      const answers = runAll(some.map(({ text }) => text));
      for (const [index, { name, text }] of some.entries()) {
        const answer = answers[index] ?? [];
        const count = done.get(name) ?? 0;
        // The system has no such function, or not for these types.
        if (answer instanceof Error || count >= (name.startsWith('CAST') ? Infinity : CASES)) continue;
        done.set(name, count + 1);
        const compared = await compare(text, answer, { dialect, converter, oracle });
        counts[compared.outcome]++;
        report(dialect, { name, text }, compared);
      }
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

function report(dialect: Dialect, { name, text }: Case, { outcome, report: more }: Compared): void {
  const file = process.env['OUTCOMES'];
  if (file !== undefined)
    appendFileSync(file, `${outcome}\t${dialect}\t${text}\t${more.split('\n')[0] ?? ''}\n`);
  if (outcome === 'wrong' || outcome === 'rejected')
    process.stdout.write(`${outcome} ${dialect} ${name}: ${text}\n   ${more}\n`);
}

/** Compares the conversions of those dialects. */
export async function compareGenerated(folder: string, dialects: readonly string[]): Promise<void> {
  for (const dialect of DIALECTS) {
    if (dialects.length > 0 && !dialects.includes(dialect)) continue;
    if ((await compareDialect(dialect, folder)) > 0) process.exitCode = 1;
  }
}
