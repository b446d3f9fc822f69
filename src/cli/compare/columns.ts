// Changes of the columns of results and sandbox tables, as far as the engine could describe them.
import type { QueryPlace } from '../../service/endpoints/variant-query.ts';
import type { Column } from '../../service/engine/engine.ts';
import type { ChangeCode } from './changes.ts';
import type { Contract, EndpointColumns, ContractChange } from './contract.ts';
import { MAIN } from './query.ts';
import { compareColumnTypes, type ColumnOptions } from './widening.ts';

/** Columns of both sides; undefined if the engine could not describe them. */
export interface ColumnPair {
  readonly before: EndpointColumns | undefined;
  readonly after: EndpointColumns | undefined;
}

export function* compareColumns(
  base: Contract,
  head: Contract,
  { before, after }: ColumnPair,
): Generator<ContractChange> {
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
  readonly added: ChangeCode;
  readonly removed: ChangeCode;
  readonly nullable: ChangeCode;
  readonly changed: ChangeCode;
  readonly alike: ChangeCode;
  /** Undefined if the order does not matter. */
  readonly moved: ChangeCode | undefined;
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
): readonly Pick<ContractChange, 'code' | 'message'>[] {
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
