// Differences: which values of fields are more frequent in a part of the time range than in the rest.
import type { Ask } from '../service/client.ts';
import type { Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { facetValue, type FacetValue } from './facets.ts';
import { fieldOf, fieldsOf, type FieldKind } from './fields.ts';
import type { Target } from './lql-edit.ts';
import { unnameable } from './lql-path.ts';
import { basisOf, sqlAsk, type Bounds, type LogQuestion } from './questions.ts';
import { sampleLines } from './sample.ts';
import { sqlName } from './sql.ts';
import { tableOf, type LogView } from './view.ts';

export interface Difference extends Pick<FacetValue, 'value'> {
  readonly target: Target;
  /** Rows with the value in the part, and in the rest. */
  readonly inside: number;
  readonly outside: number;
  /** The score is in standard deviations; a higher one is more surprising. */
  readonly score: number;
}

export interface Differences {
  readonly differences: readonly Difference[];
  /** Rows that were compared: of the part, and of the rest. */
  readonly inside: number;
  readonly outside: number;
}

/** Fields that are compared, at most: their values are counted in one query. */
const MAX_FIELDS = 20;
const MAX_SHOWN = 40;
const MAX_VALUE = 200;
/** Standard deviations below which a difference may be chance: some of many thousands of values exceed three. */
const MIN_SCORE = 4;
/** Rows in the part, and their share of it, below which a value is no explanation. */
const MIN_ROWS = 5;
const MIN_SHARE = 0.005;
/** This index, beside those of the fields, counts every row, which gives the total. */
const ALL = -1;

/** Selects the fields to compare: the level, the facets and fields with few values come first; the message and lists are left out. */
export function differenceQuestion(question: LogQuestion): LogQuestion {
  const { view, endpoint } = question;
  const table = tableOf(view, endpoint);
  const facets = table === undefined ? [] : comparedFields(view, table);
  return { ...question, view: { ...view, level: undefined, facets } };
}

function comparedFields(view: LogView, table: Table): readonly string[] {
  const all = fieldsOf(table);
  const isPlain = (path: string): boolean => PLAIN.has(fieldOf(table, path)?.kind ?? 'other');
  const few = all.filter(({ isLowCardinality }) => isLowCardinality).map(({ path }) => path);
  const others = all.map(({ path }) => path).filter((path) => !/(?:^|\.|_)id$/i.test(path));
  const wanted = [...(view.level === undefined ? [] : [view.level]), ...view.facets, ...few, ...others];
  return [...new Set(wanted)]
    .filter(
      (path) =>
        path !== view.message && path !== view.time && unnameable(path) === undefined && isPlain(path),
    )
    .slice(0, MAX_FIELDS);
}

const PLAIN: ReadonlySet<FieldKind> = new Set(['string', 'number', 'boolean', 'dynamic']);

/** One query for all fields of `differenceQuestion`; `sql` is its explained basis, `total` the number of its rows. */
export function differencesAsk(
  question: LogQuestion,
  part: Bounds,
  { sql, total }: { readonly sql: string; readonly total: number | undefined },
): Ask {
  const { view, endpoint } = question;
  const { expressions } = basisOf(question);
  const time = expressions.get(view.time) ?? sqlName(view.time);
  const fields = view.facets.map((path) => expressions.get(path) ?? 'NULL');
  const pairs = fields.map(
    (field, index) => `(${index}, substringUTF8(CAST(${field}, 'Nullable(String)'), 1, ${MAX_VALUE}))`,
  );
  const text = [
    'SELECT pair.1 AS field, pair.2 AS value, countIf(is_inside) AS inside, countIf(NOT is_inside) AS outside,',
    'sum(if(field = -1, inside, 0)) OVER () AS all_inside, sum(if(field = -1, outside, 0)) OVER () AS all_outside,',
    'inside / greatest(all_inside, 1) AS share_inside, outside / greatest(all_outside, 1) AS share_outside,',
    '(inside + outside) / greatest(all_inside + all_outside, 1) AS share,',
    '(share_inside - share_outside) / sqrt(greatest(share * (1 - share) * (1 / greatest(all_inside, 1) + 1 / greatest(all_outside, 1)), 1e-12)) AS score',
    'FROM (\nSELECT is_inside, arrayJoin(pairs) AS pair',
    `FROM (\nSELECT at >= ${part.from} AND at < ${part.to} AS is_inside, toUnixTimestamp64Milli(toDateTime64(${time}, 3, 'UTC')) AS at,`,
    `[${[`(${ALL}, CAST('', 'Nullable(String)'))`, ...pairs].join(', ')}] AS pairs`,
    ...sampleLines(question, { sql, key: [time, ...fields].join(', '), total }),
    ')\n)',
    `GROUP BY field, value HAVING field = ${ALL} OR inside >= ${MIN_ROWS}`,
    'ORDER BY field = -1 DESC, score DESC, field, value',
    `LIMIT ${Math.min(endpoint.max_rows, MAX_SHOWN + 1)}`,
  ].join('\n');
  return sqlAsk(question, text);
}

export function readDifferences(question: LogQuestion, rows: readonly Row[]): Differences {
  const all = rows.find((row) => Number(row['field']) === ALL);
  const total = Number(all?.['inside'] ?? 0);
  const found = rows.flatMap((row): readonly Difference[] => {
    const path = question.view.facets[Number(row['field'])];
    const score = Number(row['score']);
    const inside = Number(row['inside']);
    if (path === undefined || !(score >= MIN_SCORE) || inside < MIN_SHARE * total) return [];
    return [
      {
        target: { path, isElement: false },
        value: facetValue(question, path, row['value']),
        inside,
        outside: Number(row['outside']),
        score,
      },
    ];
  });
  return {
    differences: found,
    inside: total,
    outside: Number(all?.['outside'] ?? 0),
  };
}
