// Groups by a rounded time and by columns, of so many rows each that a table of the groups is worth its inserts.
import { COUNT_OF_ROWS, storedAggregate } from '../../../../guard/rollups/aggregates.ts';
import { roundingOf } from '../../../../guard/rollups/functions.ts';
import { createIsAligned } from '../../../../guard/rollups/zones.ts';
import { expressionText } from '../../../../service/endpoints/rollups/row-expression.ts';
import { commonWidth, widthText } from '../../../../service/endpoints/rollups/widths.ts';
import { wouldPay } from '../../../../service/rollups/estimate.ts';
import type { Node } from '../../../../sql/clickhouse/tree/nodes.ts';
import {
  argumentsOf,
  isCountOfRows,
  isDistinct,
  nameOf,
  namesOf,
  nodesOf,
  partOf,
} from '../../../../sql/clickhouse/tree/visit.ts';
import { enumNames, isDateTime, isNullable, plainType, timeZone } from '../../../../sql/types/traits.ts';
import type { ChangeKind, ChangeSubject, ProposedRollup, ReadTable } from '../change.ts';
import { columnName, written } from '../subject.ts';

/** Narrower buckets have few rows. */
const LEAST_WIDTH = 60;
const DAY = 86_400;
const MOST_DIMENSIONS = 8;
const WIDTHS: ReadonlyMap<number, string> = new Map([
  [DAY, 'day'],
  [3600, 'hour'],
  [LEAST_WIDTH, 'minute'],
]);

export const ROLLUPS: ChangeKind = {
  name: 'rollups',
  *propose(subject) {
    for (const select of nodesOf(subject.tree.root, 'select')) {
      const groups = partOf(select, 'group-by');
      const table = tableOf(subject, select);
      const rollup = table && groups && rollupFor(subject, select, table);
      if (groups === undefined || rollup === undefined) continue;
      yield {
        code: 'cost.rollup',
        at: groups,
        reason: `each call computes these groups from the rows of ${rollup.table}`,
        edits: [],
        rollup,
      };
      return;
    }
  },
};

/** Returns the one stored table that a SELECT reads. */
function tableOf({ tree, tables }: ChangeSubject, select: Node): ReadTable | undefined {
  const [source, ...joined] = partOf(select, 'from')?.parts ?? [];
  const [stored] = source?.parts ?? [];
  if (stored?.kind !== 'table' || joined.length > 0 || nodesOf(select, 'select').length > 1) return undefined;
  const name = namesOf(tree, stored).join('.');
  return tables.find((each) => each.name === name);
}

function rollupFor(subject: ChangeSubject, select: Node, table: ReadTable): ProposedRollup | undefined {
  const calls = nodesOf(select, 'call');
  const aggregates = calls.filter((call) => isAggregate(subject, call));
  const rounded = calls.flatMap((call) => roundedTime(subject, table, call) ?? []);
  const [first] = rounded;
  const every = widthOf(rounded.map(({ period }) => period));
  if (first === undefined || every === undefined) return undefined;
  if (rounded.some(({ time }) => time !== first.time)) return undefined;
  const width = alignedWidth(
    every,
    rounded.map(({ zone }) => zone),
  );
  const used = aggregates.map((call) => measuresOf(subject, call));
  const measures = [...new Set(used.flatMap((each) => each.measures))];
  const inside = (node: Node): boolean =>
    aggregates.some((call) => call.from <= node.from && node.to <= call.to);
  const read = [
    ...nodesOf(select, 'column').filter((column) => !inside(column)),
    ...used.flatMap(({ conditions }) => conditions.flatMap((each) => nodesOf(each, 'column'))),
  ];
  const dimensions = dimensionsOf(subject, table, read).filter((name) => name !== first.time);
  if (width === undefined || dimensions.length > MOST_DIMENSIONS) return undefined;
  if (!isWorthIt(table, { time: first.time, every: width, dimensions })) return undefined;
  const [, name = ''] = table.name.split('.');
  return rollupOf({
    name: `${name.toLowerCase()}_by_${WIDTHS.get(width) ?? widthText(width)}`.replaceAll(/\W/g, '_'),
    table: table.name,
    time: first.time,
    every: width,
    dimensions,
    measures: measures.length === 0 ? [COUNT_OF_ROWS] : measures,
  });
}

function rollupOf({
  measures,
  ...own
}: Omit<ProposedRollup, 'text'> & { readonly measures: readonly string[] }): ProposedRollup {
  const { name, table, time, every, dimensions } = own;
  const list = (values: readonly string[]): string => `[${values.map(flowText).join(', ')}]`;
  const rows = `name: ${name}, from: ${table}, time: { column: ${flowText(time)}, every: ${widthText(every)} }`;
  const groups = `dimensions: ${list(dimensions)}, measures: ${list(measures)}`;
  return { ...own, text: `rollups: [{ ${rows}, ${groups} }]` };
}

/** Values with other characters, and words that YAML reads as something else, are in quotes. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z_](?:[\w.()+<>=/*-]| (?=[\w.()+<>=/*-]))*$/i;

/** Returns a value as an item of a list in brackets has it. */
function flowText(value: string): string {
  return PLAIN.test(value) ? value : JSON.stringify(value);
}

interface RoundedTime {
  readonly time: string;
  readonly period: number;
  readonly zone: string;
}

function roundedTime(subject: ChangeSubject, table: ReadTable, call: Node): RoundedTime | undefined {
  const list = argumentsOf(call);
  const rounding = roundingOf(
    nameOf(subject.tree, call),
    list.map((each) => written(subject, each).replaceAll(/\s+/g, ' ')),
  );
  const time = rounding && columnName(subject, list[rounding.time]);
  const type = time === undefined ? undefined : table.columns.get(time);
  if (rounding === undefined || time === undefined || type === undefined) return undefined;
  if (!isDateTime(plainType(type)) || isNullable(type)) return undefined;
  const zone = list[rounding.zone];
  const own = timeZone(plainType(type)) ?? 'UTC';
  return {
    time,
    period: rounding.period,
    zone: zone === undefined ? own : written(subject, zone).slice(1, -1),
  };
}

function widthOf(periods: readonly number[]): number | undefined {
  const width = commonWidth([DAY, ...periods]);
  return periods.length > 0 && width >= LEAST_WIDTH ? width : undefined;
}

/** Days and hours of a zone are whole buckets, which begin at midnight in UTC, if they are narrow enough. */
function alignedWidth(every: number, zones: readonly string[]): number | undefined {
  const isAligned = createIsAligned();
  const widths = [every, ...[3600, 1800, 900].map((each) => commonWidth([every, each]))];
  return widths.find((width) => zones.every((zone) => isAligned(zone, width)));
}

function baseName(name: string): string {
  return name.replace(/If$/, '');
}

function isAggregate({ tree }: ChangeSubject, call: Node): boolean {
  const name = baseName(nameOf(tree, call));
  return /^avg$/i.test(name) || storedAggregate(name) !== undefined;
}

interface UsedMeasures {
  readonly measures: readonly string[];
  /** Their columns are dimensions. */
  readonly conditions: readonly Node[];
}

/** An average is computed from a sum and a count, and FILTER is a condition of groups. */
function measuresOf(subject: ChangeSubject, call: Node): UsedMeasures {
  const { tree } = subject;
  const name = nameOf(tree, call);
  const filter = partOf(call, 'filter');
  const list = partOf(call, 'arguments');
  const given = argumentsOf(call);
  if (isCountOfRows(tree, call)) return { measures: [COUNT_OF_ROWS], conditions: filter?.parts ?? [] };
  const parameters = partOf(call, 'parameters');
  const head = parameters === undefined ? '' : written(subject, parameters);
  const isOwn = name.endsWith('If') && !/^avgIf$/i.test(name);
  const values = isOwn || !name.endsWith('If') ? given : given.slice(0, -1);
  const texts = values.map((node) => expressionText({ tree, node })).join(', ');
  const conditions = [...(filter?.parts ?? []), ...given.slice(values.length)];
  if (list !== undefined && isDistinct(tree, list)) return { measures: [`uniqExact(${texts})`], conditions };
  const plain = isOwn ? name : baseName(name);
  if (!/^avg$/i.test(plain)) return { measures: [`${plain}${head}(${texts})`], conditions };
  const isOfNull = values.some((each) =>
    nodesOf(each, 'column').some((column) => holdsNullIn(subject, column)),
  );
  return { measures: [`sum(${texts})`, isOfNull ? `count(${texts})` : COUNT_OF_ROWS], conditions };
}

function holdsNullIn(subject: ChangeSubject, column: Node): boolean {
  const name = columnName(subject, column) ?? '';
  return subject.tables.some(({ columns }) => {
    const type = columns.get(name);
    return type !== undefined && isNullable(type);
  });
}

/** Returns the columns of the table, those of its sorting key first and in its order: these distinguish tenants. */
function dimensionsOf(subject: ChangeSubject, table: ReadTable, read: readonly Node[]): readonly string[] {
  const names = read.map((node) => columnName(subject, node) ?? '').filter((name) => table.columns.has(name));
  const key: readonly string[] = table.sortingKey.match(/\w+/g) ?? [];
  const placeOf = (name: string): number => (key.includes(name) ? key.indexOf(name) : key.length);
  return [...new Set(names)].toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Returns true if there are several rows to a group; the sizes of all dimensions have to be known. */
function isWorthIt(
  { rows, seconds, columns, distinct }: ReadTable,
  { time, every, dimensions }: Pick<ProposedRollup, 'time' | 'every' | 'dimensions'>,
): boolean {
  const span = seconds.get(time) ?? NaN;
  const groups = dimensions.reduce(
    (product, name) => {
      const type = columns.get(name);
      const plain = type && plainType(type);
      const names = plain === undefined ? 0 : plain.name === 'Bool' ? 2 : enumNames(plain).length;
      const values = distinct.get(name) ?? (names > 0 ? names : NaN);
      return product * (type !== undefined && isNullable(type) ? values + 1 : values);
    },
    Math.ceil(span / every),
  );
  return !Number.isNaN(groups) && wouldPay([{ every, rows, groups: Math.min(groups, rows) }]);
}
