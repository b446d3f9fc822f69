// Which columns of a result redaction changes, and their values after it.
import { isIP } from 'node:net';
import { linesOf, membersOf } from '../../formats/members.ts';
import { integerOf, isFloat } from '../../../sql/types/traits.ts';
import { changeInner, parseType, type ClickHouseType } from '../../../sql/types/type.ts';

export interface NamedType {
  readonly name: string;
  readonly type: string;
}

/** A column of the result, as the response has it. */
export interface KeptColumn extends NamedType {
  /** Among all columns of the result. */
  readonly index: number;
  /** It is true if its values come from the redacted rows. */
  readonly isChanged: boolean;
}

export interface ColumnRedaction {
  /** All columns of the result. */
  readonly columns: readonly NamedType[];
  /** Redacts a row in which every value is null. */
  readonly redactNames: (line: Uint8Array) => Uint8Array;
  readonly redactText: (text: string) => string;
}

/** The changed columns in JSONEachRow; `before` itself if redaction changes nothing. */
export interface RedactedColumns {
  readonly bytes: Uint8Array;
  readonly columns: readonly KeptColumn[];
}

/** Compares the rows, of which the first has the names alone, before and after redaction. */
export function redactColumns(
  { columns, redactNames, redactText }: ColumnRedaction,
  before: Uint8Array,
  after: Uint8Array,
): RedactedColumns {
  if (after === before && columns.every(({ type }) => redactText(type) === type))
    return { bytes: before, columns: [] };
  const isKept = columns.map(({ name }) => {
    const alone = Buffer.from(`${JSON.stringify({ [name]: null })}\n`);
    return membersOf(linesOf(redactNames(alone))[0] ?? '').length > 0;
  });
  const [names = [], ...rows] = linesOf(after).map(membersOf);
  const original = linesOf(before)
    .slice(1)
    .map((line) => membersOf(line).filter((_, index) => isKept[index]));
  const kept = columns
    .map((column, index) => ({ ...column, index }))
    .filter(({ index }) => isKept[index])
    .map((column, position): KeptColumn => {
      const isValueChanged = rows.some((row, at) => row[position]?.value !== original[at]?.[position]?.value);
      const isChanged = isValueChanged || redactText(column.type) !== column.type;
      return { ...column, name: names[position]?.name ?? column.name, isChanged };
    });
  const text = rows.map((row) => {
    const members = kept.flatMap(({ isChanged, name, type }, position) => {
      const value = row[position]?.value ?? 'null';
      return isChanged ? [`${JSON.stringify(name)}:${withAddresses(value, type)}`] : [];
    });
    return `{${members.join(',')}}\n`;
  });
  return { columns: kept, bytes: Buffer.from(text.join('')) };
}

const ADDRESSES: Readonly<Record<string, string>> = { IPv4: '0.0.0.0', IPv6: '::' };

/**
 * JSON with the neutral address in place of strings that are none, as in tables that are redacted themselves, if the type has no
 * strings but addresses of one family.
 */
function withAddresses(value: string, type: string): string {
  const leaves = new Set<string>();
  changeInner(parseType(type), (inner) => {
    if (!isNumber(inner)) leaves.add(inner.name);
    return inner;
  });
  const [name, other] = leaves;
  const neutral = ADDRESSES[name ?? ''];
  if (neutral === undefined || other !== undefined) return value;
  return value.replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) =>
    isIP(text.slice(1, -1)) === 0 ? `"${neutral}"` : text,
  );
}

function isNumber(type: ClickHouseType): boolean {
  return integerOf(type) !== undefined || isFloat(type) || type.name === 'Bool';
}
