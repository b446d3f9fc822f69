// A pair record says what is known of an endpoint in two revisions: how they differ, and the columns that the engine described in
// each.
import { CHANGES, type ChangeCode } from '../../compare/changes.ts';
import type { ContractChange, EndpointColumns } from '../../compare/contract.ts';
import { isBoolean, isCount, isList, isOneOf, isText, matches, optional, type ShapeCheck } from './shape.ts';

/** The engine describes these columns of a variant of the query. */
export interface VariantColumns extends EndpointColumns {
  readonly variant: string;
}

export interface PairRecord {
  /** The hash of the contents of both. */
  readonly key: string;
  /** The day of the last run that needed it, since 1970. */
  readonly used: number;
  /** Undefined: the revisions were described, and not compared. */
  readonly changes?: readonly ContractChange<ChangeCode>[] | undefined;
  /** There is one for each variant that is compared; the engine rejects a variant that is missing. */
  readonly before: readonly VariantColumns[];
  readonly after: readonly VariantColumns[];
}

/** Leaves out what is not part of a record. */
export function recordOfChange(change: ContractChange<ChangeCode>): ContractChange<ChangeCode> {
  const { code, path, onKey, offset, message, hint, severity } = change;
  return {
    code,
    path,
    message,
    ...(onKey === undefined ? {} : { onKey }),
    ...(offset === undefined ? {} : { offset }),
    ...(hint === undefined ? {} : { hint }),
    ...(severity === undefined ? {} : { severity }),
  };
}

function plain(columns: EndpointColumns['result']): EndpointColumns['result'] {
  return columns.map(({ name, type }) => ({ name, type }));
}

/** Leaves out what is not part of a record. */
export function recordOfColumns(variant: string, { result, tables }: EndpointColumns): VariantColumns {
  return {
    variant,
    result: plain(result),
    tables: tables.map(({ name, columns, dotted, hasMapKeys }) => ({
      name,
      columns: plain(columns),
      dotted,
      hasMapKeys,
    })),
  };
}

const areColumns = isList(matches({ name: isText, type: isText }));

const isTable = matches({
  name: isText,
  columns: areColumns,
  dotted: optional(isList(isText)),
  hasMapKeys: optional(isBoolean),
});

const areVariants = isList(matches({ variant: isText, result: areColumns, tables: isList(isTable) }));

const isStep: ShapeCheck = (value) => isText(value) || isCount(value);

const isChange = matches({
  code: isOneOf(...Object.keys(CHANGES)),
  path: isList(isStep),
  onKey: optional(isBoolean),
  offset: optional(isCount),
  message: isText,
  hint: optional(isText),
  severity: optional(isOneOf('warning')),
});

export const isPair = matches({
  key: isText,
  used: isCount,
  changes: optional(isList(isChange)),
  before: areVariants,
  after: areVariants,
});
