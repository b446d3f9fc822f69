// Finds values that the engine would change without an error when it reads them: integers beyond their type wrap around, dates that
// do not exist or are out of range become others. The same rows are read again, into columns in which such values show.
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import { integerOf, plainType } from '../../sql/types/traits.ts';
import {
  changeArguments,
  innerType,
  parseType,
  printType,
  typeArguments,
  typeOf,
  type ClickHouseType,
} from '../../sql/types/type.ts';
import type { TableColumn } from './staging.ts';

interface CheckedColumn {
  readonly name: string;
  /** The type that has every value. */
  readonly wide: string;
  /** SQL that is true for a value which the column's own type does not have. */
  readonly isChanged: string;
}

export interface ValueCheck {
  /** Definitions of the columns of the table to read the rows into. */
  readonly definitions: string;
  /** Names of these, for INSERT. */
  readonly names: string;
  /** SQL that is true for a row with such a value. */
  readonly isChanged: string;
  /** SQL of the name of the first column with one, in such a row. */
  readonly column: string;
}

/** Undefined if no column can have such values. */
export function valueCheck(columns: readonly TableColumn[]): ValueCheck | undefined {
  const checked = columns
    .filter(({ kind }) => kind !== 'MATERIALIZED' && kind !== 'ALIAS')
    .flatMap(({ name, type }) => checkedColumn(name, parseType(type)) ?? []);
  if (checked.length === 0) return undefined;
  const choices = checked.map(({ name, isChanged }) => `${isChanged}, ${quoteString(name)}`);
  return {
    definitions: checked.map(({ name, wide }) => `${quoteIdentifier(name)} ${wide}`).join(', '),
    names: checked.map(({ name }) => quoteIdentifier(name)).join(', '),
    isChanged: checked.map(({ isChanged }) => isChanged).join(' OR '),
    column: `multiIf(${choices.join(', ')}, '')`,
  };
}

function checkedColumn(name: string, type: ClickHouseType): CheckedColumn | undefined {
  const column = quoteIdentifier(name);
  const range = RANGES.get(plainType(type).name);
  if (range !== undefined) {
    const day = `substring(ifNull(${column}, ''), 1, 10)`;
    const exists = `ifNull(toString(toDate32OrNull(${day})), '') = ${day}`;
    const isInRange = `${day} BETWEEN '${range[0]}' AND '${range[1]}'`;
    const isChanged = `(match(${day}, '^\\\\d{4}-\\\\d\\\\d-\\\\d\\\\d$') AND NOT (${exists} AND ${isInRange}))`;
    return { name, wide: 'Nullable(String)', isChanged };
  }
  const stored = type.name === 'SimpleAggregateFunction' ? innerType(type, 1) : type;
  if (!canWrap(stored)) return undefined;
  const wide = printType(widened(stored));
  const back = `CAST(CAST(${column} AS ${printType(stored)}) AS ${wide})`;
  return { name, wide, isChanged: `ifNull(${column} != ${back}, 0)` };
}

/** Days that the types have; https://clickhouse.com/docs/sql-reference/data-types/date and its siblings. */
const RANGES: ReadonlyMap<string, readonly [first: string, last: string]> = new Map([
  ['Date', ['1970-01-01', '2149-06-06']],
  ['DateTime', ['1970-01-01', '2106-02-07']],
  ['Date32', ['1900-01-01', '2299-12-31']],
  ['DateTime64', ['1900-01-01', '2299-12-31']],
]);

const CONTAINERS: ReadonlySet<string> = new Set(['Nullable', 'Array', 'Map', 'Tuple']);

function isNarrow(type: ClickHouseType): boolean {
  return (integerOf(type)?.bits ?? 256) < 256;
}

/** Returns whether `widened` changes the type of an integer. */
function canWrap(type: ClickHouseType): boolean {
  if (type.name === 'LowCardinality') return canWrap(innerType(type));
  const isContainer = CONTAINERS.has(type.name);
  return isNarrow(type) || (isContainer && typeArguments(type).some((each) => canWrap(each.type)));
}

function widened(type: ClickHouseType): ClickHouseType {
  if (type.name === 'LowCardinality') return widened(innerType(type));
  if (isNarrow(type)) return typeOf('Int256');
  return CONTAINERS.has(type.name) ? changeArguments(type, widened) : type;
}
