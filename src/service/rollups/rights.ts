// Checks what the users of a server may read of a rollup and of its source. A rollup must not show what its source hides: it is used for a
// user only if the same row policies apply to both, and the user may read each column that the rollup is made of.
import type { Rollup, RollupTable } from '../../guard/rollups/model.ts';
import { plainDimensions } from '../../guard/rollups/plain-dimensions.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import { nodesOf, namesOf } from '../../sql/clickhouse/tree/visit.ts';
import { parseList } from '../../sql/clickhouse/tree/parse-part.ts';
import { EngineError, type Engine, type Statement } from '../engine/engine.ts';
import { POLICY_APPLIES } from '../engine/row-policy.ts';
import { readRows } from '../engine/rows.ts';
import { quoteName } from './statements.ts';

export type QueryOrigin = Statement['origin'];

/** Says for whom a rollup is not used, and why. */
export type Hidden = Readonly<Partial<Record<QueryOrigin, string>>>;

/** The policy is of a table, or of all tables of a database if the table is ''. */
export interface RowPolicy {
  readonly database: string;
  readonly table: string;
  readonly isRestrictive: boolean;
  readonly filter: string;
  /** It is true if the policy applies to the user who asked. */
  readonly applies: boolean;
}

/** It resolves to the row policies of tables, for the user of an origin; to undefined if the user may not see them. */
export type PoliciesOf = (origin: QueryOrigin) => Promise<readonly RowPolicy[] | undefined>;

const POLICIES = `SELECT database, table, is_restrictive, ifNull(select_filter, '1'), ${POLICY_APPLIES} FROM system.row_policies`;

type PolicyRow = readonly [
  database: string,
  table: string,
  restrictive: number,
  filter: string,
  applies: number,
];

/** They are read once for each origin. Rejects with EngineError if the server is unavailable. */
export function readPoliciesOf(engine: Engine): PoliciesOf {
  const known = new Map<QueryOrigin, ReturnType<PoliciesOf>>();
  const read = async (origin: QueryOrigin): ReturnType<PoliciesOf> => {
    const rows = await readRows(engine, POLICIES, { origin }).catch(rejection);
    return (rows as readonly PolicyRow[] | undefined)?.map(
      ([database, table, restrictive, filter, applies]) => ({
        database,
        table,
        isRestrictive: Boolean(restrictive),
        filter: filter.trim(),
        applies: Boolean(applies),
      }),
    );
  };
  return (origin) => {
    const found = known.get(origin) ?? read(origin);
    known.set(origin, found);
    return found;
  };
}

function rejection(cause: unknown): undefined {
  if (!(cause instanceof EngineError) || cause.failure !== 'rejected') throw cause;
}

const UNKNOWN =
  'the row policies of its table are not known: the user of the service may not read system.row_policies';
const PARTLY = 'the user of the service reads only a part of its table';

/** Resolves to the users that a rollup is not used for on a server. Rejects with EngineError if the server is unavailable. */
export async function hiddenFrom(engine: Engine, policies: PoliciesOf, rollup: Rollup): Promise<Hidden> {
  const saved = await policies('saved');
  // The numbers of rows are compared by this user.
  const all = saved === undefined ? UNKNOWN : isWhole(saved, rollup) ? undefined : PARTLY;
  if (all !== undefined) return { saved: all, consumer: all };
  const hidden: { -readonly [K in keyof Hidden]: Hidden[K] } = {};
  for (const origin of ['saved', 'consumer'] as const) {
    const reason =
      policyReason(await policies(origin), rollup) ?? (await grantReason(engine, origin, rollup));
    if (reason !== undefined) hidden[origin] = reason;
  }
  return hidden;
}

function isWhole(policies: readonly RowPolicy[], { source }: Rollup): boolean {
  const own = policiesOn(policies, source);
  const applying = own.filter(({ applies }) => applies);
  return own.length === 0 || (applying.length > 0 && applying.every(({ filter }) => isOpen(filter)));
}

function isOpen(filter: string): boolean {
  return filter === '1' || filter.toLowerCase() === 'true';
}

type Name = Pick<RollupTable, 'database' | 'table'>;

function policiesOn(policies: readonly RowPolicy[], { database, table }: Name): readonly RowPolicy[] {
  return policies.filter((each) => each.database === database && ['', table].includes(each.table));
}

function policyReason(policies: readonly RowPolicy[] | undefined, rollup: Rollup): string | undefined {
  if (policies === undefined) return UNKNOWN;
  const { source, tables } = rollup;
  const expected = policyText(policiesOn(policies, source));
  if (tables.some((table) => policyText(policiesOn(policies, table)) !== expected))
    return 'the row policies of its table are not those of its own tables';
  const filters = policiesOn(policies, source).flatMap(({ applies, filter }) => (applies ? [filter] : []));
  return filters.every((filter) => isOfDimensions(filter, rollup))
    ? undefined
    : 'a row policy of its table reads what is not a column of its dimensions';
}

/** Users without a policy on a table that has some may read none of its rows, or all. */
function policyText(policies: readonly RowPolicy[]): string {
  const applying = policies.filter(({ applies }) => applies);
  const texts = new Set(applying.map(({ isRestrictive, filter }) => JSON.stringify([isRestrictive, filter])));
  return `${policies.length > 0} ${[...texts].toSorted().join()}`;
}

/** A filter is the same over the rollup if all that it reads are dimensions that are columns. */
function isOfDimensions(filter: string, rollup: Rollup): boolean {
  const tree = parseList(filter);
  const [columns, plain] = [nodesOf(tree.root, 'column'), plainDimensions(rollup)];
  return tree.fault === undefined && columns.every((node) => plain.has(namesOf(tree, node).join('.')));
}

/** Reads no row: the server checks the grants of the columns. */
async function grantReason(engine: Engine, origin: QueryOrigin, rollup: Rollup): Promise<string | undefined> {
  const isAllowed = async (values: string, from: Name): Promise<boolean> => {
    const sql = `SELECT ${values} FROM ${quoteName(from)} LIMIT 0`;
    return (await readRows(engine, sql, { origin }).catch(rejection)) !== undefined;
  };
  const { time, dimensions, measures, source, tables } = rollup;
  const values = [
    quoteIdentifier(time),
    ...dimensions.map(({ expression }) => expression),
    ...measures.flatMap(({ arguments: list }) => list),
  ].map((sql, index) => `${sql} AS millrace_${index}`);
  if (!(await isAllowed(values.join(', '), source))) return 'a column of its table is not granted';
  for (const table of tables) if (!(await isAllowed('*', table))) return 'its tables are not granted';
  return undefined;
}
