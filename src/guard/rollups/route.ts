// Routes a statement to a rollup: an edit of its source, by which it reads the same groups of fewer rows.
import type { Node, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText } from '../../sql/clickhouse/tree/parse.ts';
import { sourceOf } from '../../sql/clickhouse/tree/visit.ts';
import { compileRollup, type CompiledRollup } from './compile.ts';
import { applyEdits, editLevels, sourceEdits, type Needs } from './edits.ts';
import {
  isDeep,
  isOpaqueQuery,
  parentsOf,
  readerOf,
  readLevel,
  sharedValue,
  storedNames,
  storedSources,
  type Level,
  type LevelSource,
} from './levels.ts';
import { createIsAggregate, readAggregate, type MeasureUse } from './measures.ts';
import type { Rollup, RollupInUse, RollupTable } from './model.ts';
import { finerTime } from './precision.ts';
import { priceOf, type PricedRead } from './price.ts';
import { alignedTo, writeRelation } from './relation.ts';
import { unfitNode, type Unfit } from './term.ts';
import { createTerms, unnamedClock } from './terms.ts';
import { createIsAligned } from './zones.ts';

/** A statement that reads a rollup, or why it reads the rows. */
export type Route = RollupRoute | RowsRoute;

interface RowsRoute {
  readonly kind: 'rows';
  readonly rollup: Rollup;
  readonly reason: Unfit;
}

interface RollupRoute {
  readonly kind: 'rollup';
  readonly rollup: Rollup;
  /** Whole buckets are read from the coarsest of its tables that have them; this is the coarsest of all. */
  readonly table: RollupTable;
  readonly sql: string;
}

/** The rollups of a stored table. */
export type RollupsOf = (source: Rollup['source']) => readonly RollupInUse[];

export interface Router {
  /** The route of a statement; undefined if it reads no table that has rollups. */
  readonly route: (sql: string, rollupsOf: RollupsOf) => Route | undefined;
}

export interface RouterOptions {
  /** The time zone of the server: that of columns without one. Undefined: not known. */
  readonly zone: string | undefined;
}

/** Creates a router; what it knows of rollups and time zones is read once. */
export function createRouter({ zone }: RouterOptions): Router {
  const compiled = new WeakMap<Rollup, CompiledRollup>();
  const isAligned = createIsAligned();
  const compile = (rollup: Rollup): CompiledRollup => {
    const known = compiled.get(rollup) ?? compileRollup(rollup);
    compiled.set(rollup, known);
    return known;
  };
  /** The grains that all roundings of the query are multiples of. */
  const tablesFor = (rollup: Rollup, { roundings }: Needs): readonly RollupTable[] => {
    const ofColumn = zoneOf(rollup.timeType) ?? zone;
    return rollup.tables.filter(({ every }) =>
      roundings.every(({ period, zone: own = ofColumn }) => {
        return period % every === 0 && own !== undefined && isAligned(own, every);
      }),
    );
  };
  return {
    route: (sql, rollupsOf) => {
      const tree = parseSavedText(sql);
      let first: Route | undefined;
      if (isDeep(tree.root)) return undefined;
      for (const source of storedSources(tree).slice(0, MOST_SOURCES)) {
        const found: PricedRoute[] = [];
        for (const inUse of rollupsOf(storedNames(tree, source))) {
          const route = routeTo(tree, source, { inUse, compiled: compile(inUse.rollup), tablesFor });
          if (route.kind === 'rollup') found.push({ route, inUse });
          else first ??= route;
        }
        const cheapest = cheapestOf(found);
        if (cheapest !== undefined) {
          const { rollup, table, write } = cheapest;
          return { kind: 'rollup', rollup, table, sql: write() };
        }
      }
      return first;
    },
  };
}

/** At most this many tables of a statement are looked at: the statement is read again for each. */
const MOST_SOURCES = 8;

/** The time zone of a type of times, as the engine prints it; undefined if it has none. */
function zoneOf(type: string): string | undefined {
  return /'([^']+)'/.exec(type)?.[1];
}

/** A route whose statement is not written yet. */
interface UnwrittenRoute extends Omit<RollupRoute, 'sql'> {
  readonly read: PricedRead;
  readonly write: () => string;
}

interface PricedRoute {
  readonly route: UnwrittenRoute;
  readonly inUse: RollupInUse;
}

/** The route of least work, the rows of the source that its rollup does not cover among it; the first one if that is not known. */
function cheapestOf(found: readonly PricedRoute[]): UnwrittenRoute | undefined {
  const spanOf = ({ inUse: { coverage } }: PricedRoute): number => Number(coverage.until - coverage.from);
  const widest = Math.max(...found.map(spanOf));
  const priced = found.map((each) => {
    const { route, inUse } = each;
    const uncovered = (inUse.size?.ofSource ?? 0) * (1 - spanOf(each) / widest);
    return { route, price: priceOf(route.read, inUse) + uncovered };
  });
  const isKnown = priced.every(({ price }) => !Number.isNaN(price));
  return (isKnown ? priced.toSorted((a, b) => a.price - b.price) : priced)[0]?.route;
}

interface Candidate {
  readonly inUse: RollupInUse;
  readonly compiled: CompiledRollup;
  readonly tablesFor: (rollup: Rollup, needs: Needs) => readonly RollupTable[];
}

function routeTo(
  tree: Tree,
  source: Node,
  { inUse, compiled, tablesFor }: Candidate,
): UnwrittenRoute | RowsRoute {
  const { rollup, coverage } = inUse;
  const unfit = (reason: Unfit): RowsRoute => ({ kind: 'rows', rollup, reason });
  const rows = (text: string): RowsRoute => unfit({ text });
  if (isOpaqueQuery(tree))
    return rows('the statement has settings or lambdas with names, or could not be read');
  const isAggregate = createIsAggregate(tree, compiled.measures);
  const unknown = unnamedClock(tree) ?? finerTime(tree, rollup.timeType);
  if (unknown !== undefined) return unfit(unknown);
  const levels = levelsFrom(tree, source, { columns: inUse.columns, isAggregate });
  if ('text' in levels) return unfit(levels);
  const uses = new Map<Node, MeasureUse>();
  const { measures, dimensions } = compiled;
  const { time } = rollup;
  const read = createTerms({
    tree,
    time,
    dimensions,
    aggregate: (call, level) =>
      isAggregate(call)
        ? readAggregate({ tree, measures, read, onUse: (node, use) => uses.set(node, use) }, call, level)
        : undefined,
  });
  const edited = editLevels({ tree, read, uses, time }, levels);
  if ('unfit' in edited) return unfit(edited.unfit);
  const { needs } = edited;
  const fitting = tablesFor(rollup, needs);
  if (fitting.length === 0) return rows('its times are not rounded to the grain of the rollup');
  const tables = fitting.filter(({ every }) => {
    const { from, until } = alignedTo(coverage, every);
    return from < until;
  });
  const table = tables.at(-1);
  if (table === undefined) return rows('it covers no time yet');
  const write = (): string => {
    const relation = writeRelation({
      ...needs,
      comparisons: [...needs.comparisons.values()],
      compiled,
      tables,
      coverage,
      source: sourceOf(tree, source.parts[0] ?? source),
    });
    return applyEdits(tree, [...edited.edits, ...sourceEdits(tree, source, levels, relation)]);
  };
  const priced = { tables, measures: needs.measures, comparisons: needs.comparisons.size };
  return { kind: 'rollup', rollup, table, read: priced, write };
}

/** A name is looked for in each level, so there are at most this many. */
const MOST_LEVELS = 32;

/** The SELECTs from the one that reads a stored table to the one that groups; or why there are none. */
function levelsFrom(tree: Tree, stored: Node, from: Omit<LevelSource, 'below'>): readonly Level[] | Unfit {
  const parents = parentsOf(tree.root);
  const levels: Level[] = [];
  for (let source = stored; ;) {
    const clause = parents.get(source);
    const select = clause && parents.get(clause);
    if (clause?.kind !== 'from' || select?.kind !== 'select') return { text: 'it joins' };
    const shared = sharedValue(select, parents);
    if (shared !== undefined) return unfitNode(tree, shared, 'belongs to all members of the UNION');
    const level = readLevel(tree, select, { ...from, below: levels.at(-1) });
    if ('text' in level) return level;
    levels.push(level);
    if (levels.length > MOST_LEVELS) return { text: 'it has too many layers' };
    if (level.isGrouping) return levels;
    const reader = readerOf(tree, select, parents);
    if ('text' in reader) return reader;
    source = reader;
  }
}
