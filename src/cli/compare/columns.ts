// Changes of the columns of results and sandbox tables, as far as the engine could describe them.
import type { QueryPlace } from '../../service/endpoints/variant-query.ts';
import type { Column } from '../../service/engine/engine.ts';
import type { Contract, EndpointColumns, ContractChange } from './contract.ts';
import { MAIN } from './query.ts';
import { compareColumnTypes, type ColumnOptions } from './widening.ts';
import { behaviour, breaking, compatible, security, type ChangeKinds } from './change-kinds.ts';

export const COLUMN_CHANGES = {
  'query.rejected': breaking(
    'The engine rejects a query that it accepted before',
    'Every call fails. `millrace validate --engine` shows the error.',
  ),
  'column.added': compatible(
    'A new result column',
    'Readers ignore columns they do not know. Every key that may call the endpoint can read it.',
  ),
  'column.removed': breaking('A result column was removed', 'Readers that use it fail.'),
  'column.order_changed': behaviour(
    'The result columns are in a different order',
    'Readers by name see no difference; readers of CSV by position do.',
  ),
  'column.nullable': breaking('A result column may be null', 'Readers that never saw null may fail.'),
  'column.type_changed': breaking('The type of a result column changed', 'Readers may fail to parse it.'),
  'column.type_widened': behaviour(
    'A result column has a compatible wider type',
    'JSON and CSV look the same; Parquet and Arrow have the new type.',
  ),
  'sandbox.column_added': security(
    'One more column in a sandbox table',
    'Consumer queries can read it. With SELECT *, a change of the underlying tables is enough to add it.',
  ),
  'sandbox.column_removed': breaking(
    'A column was removed from a sandbox table',
    'Consumer queries that use it fail.',
  ),
  'sandbox.column_type_changed': breaking(
    'The type of a column in a sandbox table changed',
    'Consumer queries that calculate or compare with it may fail.',
  ),
  'sandbox.column_type_widened': behaviour(
    'A column in a sandbox table has a wider type',
    'Consumer queries still work; the types of calculated values may differ.',
  ),
} as const satisfies ChangeKinds;

export type ColumnCode = keyof typeof COLUMN_CHANGES;

/** Columns of both sides; undefined if the engine could not describe them. */
export interface ColumnPair {
  readonly before: EndpointColumns | undefined;
  readonly after: EndpointColumns | undefined;
}

export function* compareColumns(
  base: Contract,
  head: Contract,
  { before, after }: ColumnPair,
): Generator<ContractChange<ColumnCode>> {
  if (before === undefined) return;
  if (after === undefined) {
    yield {
      code: 'query.rejected',
      message: 'the engine rejects the query, which it accepted before',
      path: ['query'],
    };
    return;
  }
  const options = { int64: head.endpoint.int64 };
  const main = placeOf(head, MAIN);
  yield* compareLists(before.result, after.result, options, ANSWER).map((each) => ({ ...each, ...main }));
  if (!base.endpoint.sandbox.enabled || !head.endpoint.sandbox.enabled) return;
  for (const { name, columns } of after.tables) {
    const old = before.tables.find((table) => table.name === name);
    if (old === undefined) continue; // a new table is reported as such
    const at = placeOf(head, name);
    for (const { code, message } of compareLists(old.columns, columns, options, TABLE)) {
      yield { code, message: `${name}: ${message}`, ...at };
    }
  }
}

function placeOf({ query }: Contract, part: string): QueryPlace {
  return query.parts.find(({ name }) => name === part)?.place ?? { path: ['query'], offset: 0 };
}

interface Codes {
  readonly added: ColumnCode;
  readonly removed: ColumnCode;
  readonly nullable: ColumnCode;
  readonly changed: ColumnCode;
  readonly alike: ColumnCode;
  /** Undefined if the order does not matter. */
  readonly moved: ColumnCode | undefined;
}

const ANSWER: Codes = {
  added: 'column.added',
  removed: 'column.removed',
  nullable: 'column.nullable',
  changed: 'column.type_changed',
  alike: 'column.type_widened',
  moved: 'column.order_changed',
};
const TABLE: Codes = {
  added: 'sandbox.column_added',
  removed: 'sandbox.column_removed',
  nullable: 'sandbox.column_type_changed',
  changed: 'sandbox.column_type_changed',
  alike: 'sandbox.column_type_widened',
  moved: undefined,
};

function compareLists(
  before: readonly Column[],
  after: readonly Column[],
  options: ColumnOptions,
  codes: Codes,
): readonly Pick<ContractChange<ColumnCode>, 'code' | 'message'>[] {
  const old = new Map(before.map(({ name, type }) => [name, type]));
  const now = new Map(after.map(({ name, type }) => [name, type]));
  const removed = before.filter(({ name }) => !now.has(name));
  const changes = after.flatMap(({ name, type }) => {
    const was = old.get(name);
    if (was === undefined)
      return { code: codes.added, message: `the column ${name} (${shorten(type)}) was added` };
    const step = compareColumnTypes(was, type, options);
    if (step === 'same') return [];
    return { code: codes[step], message: `the column ${name} is ${shorten(type)}, was ${shorten(was)}` };
  });
  const isMoved = codes.moved !== undefined && orderOf(before, now) !== orderOf(after, old);
  return [
    ...removed.map(({ name }) => ({ code: codes.removed, message: `the column ${name} was removed` })),
    ...changes,
    ...(isMoved && codes.moved !== undefined
      ? [{ code: codes.moved, message: 'the columns are in a different order' }]
      : []),
  ];
}

/** The order of the columns that both sides have. */
function orderOf(columns: readonly Column[], others: ReadonlyMap<string, string>): string {
  return JSON.stringify(columns.flatMap(({ name }) => (others.has(name) ? name : [])));
}

const SHOWN = 120;

/** Types of JSON columns list their paths and can be long. */
function shorten(type: string): string {
  return type.length <= SHOWN ? type : `${type.slice(0, SHOWN - 1)}…`;
}
