// Calls of the functions that say what they do with NULL and with nothing, generated from what they say of their arguments.
import type { ForeignDialect } from '../../../src/sql/dialects/conversion.ts';
import type { Behaviour, Parameter } from '../../../src/sql/dialects/context.ts';
import { ALL_FUNCTIONS } from '../../../src/sql/dialects/dialects.ts';

/** A query in some dialect: the first one that is converted is run. */
export interface BehaviourCase {
  readonly name: string;
  readonly texts: readonly { readonly dialect: ForeignDialect; readonly text: string }[];
}

const DIALECTS = [
  'postgresql',
  'mysql',
  'bigquery',
  'snowflake',
  'trino',
  'sqlite',
  'redshift',
  'mariadb',
] as const;

/** A column of `facts` that is NULL in some rows, and a constant. */
type Samples = Readonly<Record<Parameter, readonly [column: string, constant: string]>>;

const SAMPLES: Samples = {
  number: ['ni', '2'],
  integer: ['ni', '2'],
  text: ['ns', "'b'"],
  document: ['js', "'$.a'"],
  time: ['nts', "'day'"],
  array: ['ns', "'b'"],
  any: ['ns', "'$.a'"],
};

/** A place for NaN, and a constant. */
const NUMBERS: Samples = {
  ...SAMPLES,
  number: ['number_', '2'],
  integer: ['number_', '2'],
  any: ['number_', '2'],
};

/** Arguments of functions whose parameters do not say enough. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  substr: ['ns, 2', "'abc', 2, ni"],
  mid: ['ns, 2'],
  bit_count: ['ni'],
  str_to_date: ["ns, '%Y-%m-%d'"],
  from_unixtime: ['ni'],
  convert_tz: ["nts, 'UTC', 'Europe/Berlin'"],
  ...Object.fromEntries(
    'bool_or bool_and every logical_or logical_and boolor_agg booland_agg count_if countif'
      .split(' ')
      .map((name) => [name, ['ni > 1']]),
  ),
  ...Object.fromEntries(
    'corr covar_pop covar_samp min_by max_by'.split(' ').map((name) => [name, ['ni, i']]),
  ),
  approx_percentile: ['ni, 0.5'],
  approx_quantiles: ['ni, 2'],
  array_concat_agg: ['[ni]'],
  string_agg: ["ns, ','"],
  median: ['ni'],
  nth_value: ['ns, 1', 'ni, 1'],
  convert_timezone: ["'Europe/Berlin', nts"],
  to_char: ["nts, 'YYYY-MM-DD'"],
  date_from_parts: ['ni, 2, 3', '2024, ni, 3'],
  datefromparts: ['ni, 2, 3'],
  datediff: ["nts, '2024-05-01'", "'day', nts, '2024-05-01'"],
  timestampdiff: ["day, nts, '2024-05-01'"],
  ...Object.fromEntries(
    ['date_trunc', 'datetime_trunc', 'timestamp_trunc'].map((name) => [name, ["'day', nts", 'nts, day']]),
  ),
  ...Object.fromEntries(
    ['dateadd', 'timestampadd', 'timeadd'].map((name) => [name, ["'day', 2, nts", 'day, 2, nts']]),
  ),
  ...Object.fromEntries(
    [
      'date_add',
      'date_sub',
      'adddate',
      'subdate',
      'timestamp_add',
      'timestamp_sub',
      'datetime_add',
      'datetime_sub',
    ].map((name) => [name, ['nts, interval 2 day', 'nts, 2']]),
  ),
  ...Object.fromEntries(
    ['date_diff', 'datetime_diff', 'timestamp_diff'].map((name) => [
      name,
      ["'day', nts, nts", 'nts, nts, day'],
    ]),
  ),
};

const takenAt = ({ takes }: Behaviour, index: number): Parameter => takes[index] ?? takes.at(-1) ?? 'any';

/** Calls with one to three arguments, of which that one is a column with NULL. */
function callsOf(name: string, behaviour: Behaviour, samples: Samples): readonly string[] {
  const own = ARGUMENTS[name];
  if (own !== undefined) return own.map((each) => `${name}(${each})`);
  return [1, 2, 3].flatMap((count) =>
    Array.from({ length: count }, (_, at) => {
      const args = Array.from(
        { length: count },
        (__, index) => samples[takenAt(behaviour, index)][index === at ? 0 : 1],
      );
      return `${name}(${args.join(', ')})`;
    }),
  );
}

type NamedRule = readonly [name: string, rule: { readonly behaviour?: Behaviour }];

function casesOf(
  rules: Iterable<NamedRule>,
  isOf: (behaviour: Behaviour) => boolean,
  write: (call: string, behaviour: Behaviour) => string,
  samples = SAMPLES,
): readonly BehaviourCase[] {
  return [...rules].flatMap(([name, { behaviour }]) => {
    if (behaviour === undefined || !isOf(behaviour)) return [];
    const calls = callsOf(name, behaviour, samples);
    const texts = DIALECTS.flatMap((dialect) =>
      calls.map((call) => ({ dialect, text: write(call, behaviour) })),
    );
    return [{ name, texts }];
  });
}

/** Functions of which a frame of rows is not converted, or in no dialect. */
const WITHOUT_FRAME: ReadonlySet<string> = new Set(
  'lag lead approx_percentile approx_quantiles median approx_distinct approx_count_distinct hll array_concat_agg string_agg group_concat min_by max_by any_value arbitrary'.split(
    ' ',
  ),
);

const columnOf = (call: string): string => /\b(?:ni|ns|nts|js|m)\b/.exec(call)?.[0] ?? 'ns';

/** Functions of which NULL is NULL: of rows whose argument is NULL. */
export const PROPAGATING = casesOf(
  ALL_FUNCTIONS.values,
  ({ nulls }) => nulls === 'propagate',
  (call) => `SELECT ${call} AS x FROM facts WHERE ${columnOf(call)} IS NULL`,
);

/** Functions of numbers, given a time. */
export const OF_NUMBERS = casesOf(
  ALL_FUNCTIONS.values,
  ({ takes }) => takes[0] === 'number',
  (call) => `SELECT ${call.replaceAll(/\bni\b/g, 'd')} AS x FROM facts`,
);

/** NaN, in the dialects that have it. */
const NAN: Partial<Record<ForeignDialect, string>> = {
  postgresql: "cast('NaN' as double precision)",
  redshift: "cast('NaN' as double precision)",
  bigquery: "cast('NaN' as float64)",
  snowflake: "cast('NaN' as float)",
  trino: "cast('NaN' as double)",
};

/** The number with which calls have the form that they have with NaN. */
export const LIKE_NAN = '7777';

/** The place of NaN in a call. */
const PLACE = /\b(?:ni|number_)\b/;

/** Calls of functions with NaN in the place of the column, and with another number. */
function casesOfNan(
  rules: readonly NamedRule[],
  nan: Behaviour['nan'],
  over = '',
): readonly (BehaviourCase & { readonly plain: BehaviourCase['texts'] })[] {
  const isOf = (behaviour: Behaviour): boolean => behaviour.nan === nan;
  const write = (call: string): string => `SELECT ${call}${over} AS x FROM facts`;
  const samples: Samples = nan === 'keep' ? { ...NUMBERS, integer: ['2', '2'] } : NUMBERS;
  return casesOf(rules, isOf, write, samples).map(({ name, texts }) => {
    const own = texts.filter(({ text, dialect }) => NAN[dialect] !== undefined && PLACE.test(text));
    const withNumber = (numberOf: (dialect: ForeignDialect) => string): BehaviourCase['texts'] =>
      own.map(({ dialect, text }) => ({
        dialect,
        text: text.replaceAll(new RegExp(PLACE, 'g'), numberOf(dialect)),
      }));
    return {
      name,
      texts: withNumber((dialect) => NAN[dialect] ?? ''),
      plain: withNumber(() => `cast(${LIKE_NAN} as double precision)`),
    };
  });
}

/** Functions by what they do with NaN. */
export const OF_NAN = Object.fromEntries(
  (['propagate', 'error', 'keep'] as const).map((nan) => [
    nan,
    [
      ...casesOfNan([...ALL_FUNCTIONS.values, ...ALL_FUNCTIONS.aggregates], nan),
      ...casesOfNan(ALL_FUNCTIONS.windows, nan, ' OVER (ORDER BY id)'),
    ],
  ]),
);

const OVER_NONE = 'OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)';

/** Aggregates by their value over nothing: over no rows, and over an empty frame. */
export const OF_NONE = Object.fromEntries(
  (['null', '0', '[]'] as const).map((value) => {
    const isOf = ({ none }: Behaviour): boolean => none === value;
    const rules = ALL_FUNCTIONS.aggregates;
    const texts = [
      ...casesOf(rules, isOf, (call) => `SELECT ${call} AS x FROM no_facts`),
      ...casesOf(
        [...rules, ...ALL_FUNCTIONS.windows].filter(([name]) => !WITHOUT_FRAME.has(name)),
        isOf,
        (call) => `SELECT ${call} ${OVER_NONE} AS x FROM facts ORDER BY id LIMIT 1`,
      ),
    ];
    return [value, texts];
  }),
);

/** Aggregates that leave out NULL: over all rows, and over those that are not NULL. */
export const SKIPPING = casesOf(
  ALL_FUNCTIONS.aggregates,
  ({ nulls }) => nulls === 'skip',
  (call) => `SELECT ${call} AS x FROM facts`,
);

/** The same over the rows whose argument is not NULL. */
export const withoutNull = (text: string): string => `${text} WHERE ${columnOf(text)} IS NOT NULL`;
