// Checks a rollup on an engine: the columns of its source, the types of its dimensions and measures, and what the source does to its
// rows. The result can be created.
import { storedAggregate } from '../../guard/rollups/aggregates.ts';
import type { RollupMeasure } from '../../guard/rollups/model.ts';
import type { Codes, Finding, PathFinding } from '../../sql/base/finding.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import { isDateTime, isFloat, isNullable, plainType } from '../../sql/types/traits.ts';
import { parseType } from '../../sql/types/type.ts';
import { locateAll } from '../config/locate-finding.ts';
import type { RollupDeclaration } from '../endpoints/rollups/read-rollups.ts';
import { engineSentence } from '../engine/engine-sentence.ts';
import { EngineError, type Column, type Engine } from '../engine/engine.ts';
import { readSource, sourceFaults, type RollupSource } from './source.ts';
import { measureSql, quoteName, type RollupColumn, type RollupPlan } from './statements.ts';

export const RESOLVE_CODES: Codes = {
  'rollup.source': {
    title: 'A source that cannot have a rollup',
    help: 'The source is a table of the MergeTree family that keeps its rows as they were inserted: not one that replaces, sums or collapses them when it merges, and without GROUP BY and WHERE in its TTL.',
  },
  'rollup.column': {
    title: 'An expression that the engine rejects',
    help: "A column that the source does not have, or an expression of other types. The message is the engine's.",
  },
  'rollup.time': {
    title: 'A time column of another type',
    help: 'The time column is a DateTime or DateTime64 that is not Nullable.',
  },
  'rollup.dimension_type': {
    title: 'A dimension of a type that rows cannot be grouped by exactly',
    help: 'Dimensions are strings, integers, Decimals, dates, times, Bool, UUID, Enum and IP addresses, Nullable or not. A path of JSON without a type has one after a cast, with a name: { method: metadata.method.:String }.',
  },
  'rollup.not_exact': {
    title: 'A measure whose merged groups can differ from its rows',
    help: 'A sum of Float depends on its order, and quantiles are estimates. Write { aggregate: sum(ratio), approximate: true } if queries may be answered from it all the same.',
  },
};

/** The plan, or why there is none. */
export type Resolved =
  | { readonly plan: RollupPlan; readonly source: RollupSource; readonly findings: readonly [] }
  | { readonly plan?: undefined; readonly findings: readonly Finding[] };

/** Rejects with EngineError if the engine cannot be asked. `cluster`: the one that the tables are created on. */
export async function resolveRollup(
  engine: Engine,
  declaration: RollupDeclaration,
  cluster?: string,
): Promise<Resolved> {
  const { rollup, document } = declaration;
  const reject = (findings: readonly PathFinding[]): Resolved => ({
    findings: locateAll(document, findings),
  });
  const source = await readSource(engine, rollup.source);
  const faults = sourceFaults(source, rollup, cluster).map((fault) => ({
    code: 'rollup.source',
    path: ['rollups', declaration.index, 'from'],
    ...fault,
  }));
  if (source === undefined || faults.length > 0) return reject(faults);
  const described = await describeAll(engine, declaration);
  if ('findings' in described) return reject(described.findings);
  const wrong = typeFindings(declaration, described);
  if (wrong.length > 0) return reject(wrong);
  const columns = columnsOf(declaration, described);
  const measures = rollup.measures.map((measure, index): RollupMeasure => {
    return { ...measure, types: described.types[index] ?? [] };
  });
  const plan: RollupPlan = {
    rollup: { ...rollup, timeType: described.time, measures },
    columns,
    sortedBy: sortedBy(declaration, source),
    keepDays: declaration.keepDays,
    settleSeconds: declaration.settleSeconds,
    isReplicated: source.engine.startsWith('Replicated'),
    deduplicationWindow: source.deduplicationWindow,
    cluster,
  };
  return { plan, source, findings: [] };
}

interface Described {
  readonly time: string;
  readonly dimensions: readonly string[];
  /** These are the types of the stored values or states. */
  readonly measures: readonly string[];
  /** These are the types of the arguments of each measure. */
  readonly types: readonly (readonly string[])[];
}

/** An expression, and where it is written. */
interface Item {
  readonly sql: string;
  readonly path: PathFinding['path'];
}

async function describeAll(
  engine: Engine,
  { rollup, index }: RollupDeclaration,
): Promise<Described | { readonly findings: readonly PathFinding[] }> {
  const at = (...rest: (string | number)[]) => ['rollups', index, ...rest];
  const time = { sql: quoteIdentifier(rollup.time), path: at('time', 'column') };
  const dimensions = rollup.dimensions.map(({ expression }, each) => ({
    sql: expression,
    path: at('dimensions', each),
  }));
  const measures = rollup.measures.map((measure, each) => ({
    sql: measureSql(measure).ofRows,
    path: at('measures', each),
  }));
  const list = rollup.measures.flatMap(({ arguments: given }, each) =>
    given.map((sql) => ({ sql, path: at('measures', each) })),
  );
  const from = quoteName(rollup.source);
  const rows = await describeItems(engine, from, [time, ...dimensions, ...list]);
  const groups = await describeItems(engine, from, measures);
  if (!isDescribed(rows) || !isDescribed(groups)) {
    const found = [rows, groups].flatMap((each) => (isDescribed(each) ? [] : each));
    // An argument that is rejected has its measure rejected, too.
    return {
      findings: found.filter(
        ({ path }, each) => found.findIndex((other) => String(other.path) === String(path)) === each,
      ),
    };
  }
  const types = rows.map(({ type }) => type);
  let next = 1 + dimensions.length;
  return {
    time: types[0] ?? '',
    dimensions: types.slice(1, next),
    measures: groups.map(({ type }) => type),
    types: rollup.measures.map(({ arguments: given }) => types.slice(next, (next += given.length))),
  };
}

function isDescribed(found: readonly Column[] | readonly PathFinding[]): found is readonly Column[] {
  return found.every((each) => 'type' in each);
}

/** Their columns in order, or a finding for each that is rejected. */
async function describeItems(
  engine: Engine,
  from: string,
  items: readonly Item[],
): Promise<readonly Column[] | readonly PathFinding[]> {
  const describe = (some: readonly Item[]): Promise<readonly Column[] | EngineError> =>
    engine
      .describe({
        sql: `SELECT ${some.map(({ sql }, each) => `${sql} AS millrace_${each}`).join(', ')} FROM ${from}`,
        parameters: {},
        limits: { time: 10, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 24 },
        origin: 'saved',
        int64: 'number',
      })
      .catch(rejection);
  if (items.length === 0) return [];
  const all = await describe(items);
  if (!(all instanceof EngineError)) return all;
  const findings: PathFinding[] = [];
  for (const item of items) {
    const one = await describe([item]);
    if (one instanceof EngineError)
      findings.push({ code: 'rollup.column', path: item.path, message: engineSentence(one.message) });
  }
  if (findings.length === 0) throw all;
  return findings;
}

function rejection(cause: unknown): EngineError {
  if (cause instanceof EngineError && cause.failure === 'rejected') return cause;
  throw cause;
}

/** Equal values of these types are equal bytes. */
const KEY_TYPES =
  /^(?:String|FixedString|Bool|U?Int(?:8|16|32|64|128|256)|Decimal(?:32|64|128|256)?|Date(?:32)?|DateTime(?:64)?|UUID|Enum(?:8|16)?|IPv[46])$/;

function typeFindings({ rollup, index }: RollupDeclaration, described: Described): readonly PathFinding[] {
  const time = parseType(described.time);
  const findings: PathFinding[] = [];
  if (!isDateTime(plainType(time)) || isNullable(time))
    findings.push({
      code: 'rollup.time',
      path: ['rollups', index, 'time', 'column'],
      message: `${rollup.time} is of the type ${described.time}`,
    });
  for (const [each, type] of described.dimensions.entries())
    if (!KEY_TYPES.test(plainType(parseType(type)).name))
      findings.push({
        code: 'rollup.dimension_type',
        path: ['rollups', index, 'dimensions', each],
        message: `${rollup.dimensions[each]?.name ?? ''} is of the type ${type}`,
        ...(isFloat(plainType(parseType(type))) ? { hint: 'Round it to an integer or a Decimal' } : {}),
      });
  for (const [each, { name, aggregate, approximate }] of rollup.measures.entries()) {
    const isExact = storedAggregate(aggregate)?.isExact(described.types[each] ?? []) === true;
    if (isExact || approximate) continue;
    findings.push({
      code: 'rollup.not_exact',
      path: ['rollups', index, 'measures', each],
      message: `${name} of groups can differ from that of their rows`,
      hint: `Write { aggregate: "${name}", approximate: true }, or leave it out`,
    });
  }
  return findings;
}

function columnsOf({ rollup }: RollupDeclaration, described: Described): readonly RollupColumn[] {
  const time = { name: rollup.time, type: described.time, ofRows: '', ofFiner: '', isKey: true };
  const dimensions = rollup.dimensions.map(({ name, expression }, index): RollupColumn => {
    const type = described.dimensions[index] ?? '';
    return { name, type, ofRows: expression, ofFiner: quoteIdentifier(name), isKey: true };
  });
  const measures = rollup.measures.map((measure, index): RollupColumn => {
    const { stored, merge } = storedAggregate(measure.aggregate) ?? {};
    const type = described.measures[index] ?? '';
    return {
      name: measure.name,
      type: stored === 'value' ? `SimpleAggregateFunction(${merge}, ${type})` : type,
      ...measureSql(measure),
      isKey: false,
    };
  });
  return [time, ...dimensions, ...measures];
}

/** The names that the source is sorted by, such as its tenants, come first; then the time. */
function sortedBy({ rollup }: RollupDeclaration, { sortedBy: names }: RollupSource): readonly string[] {
  const dimensions = rollup.dimensions.map(({ name }) => name);
  const before = names.filter((name) => dimensions.includes(name));
  return [...before, rollup.time, ...dimensions.filter((name) => !before.includes(name))];
}
