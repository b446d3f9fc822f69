// The types of columns as DESCRIBE prints them.
import { parseColumnType, type ColumnType } from '../types/column-type.ts';
import type { SourceColumn } from './conversion.ts';
import {
  decimalOf,
  holdsNull,
  integerOf,
  isDate,
  timeScale,
  timeZone,
  type IntegerType,
} from '../types/traits.ts';
import { parseType, type ClickHouseType } from '../types/type.ts';
import { UNKNOWN, type Kind, type Type } from './value.ts';

const SIZES: Readonly<Record<string, number>> = { Int8: 1, Int16: 2, Int32: 4 };

/** The type of a column that DESCRIBE has printed. */
export function typeOfColumn(column: SourceColumn): Type {
  const parsed = parseColumnType(column.type);
  return { ...typeOf(parsed), isNullable: holdsNull(parseType(column.type)) };
}

const plain = (kind: Kind): Type => ({ kind, isNullable: false });
const inside = (type: ColumnType): Type => ({ ...typeOf(type), isNullable: true });

/** The type for a part of a column's type; whether it can be NULL is not known there. */
export function typeOf(type: ColumnType): Type {
  switch (type.kind) {
    case 'string':
      return plain('text');
    case 'boolean':
      return plain('bool');
    case 'number':
      return numberType(parseType(type.name));
    case 'time':
      return timeType(parseType(type.name));
    case 'json':
      return { ...plain('object'), paths: type.paths };
    case 'array':
      return { ...plain('array'), element: inside(type.element) };
    case 'map':
      return { ...plain('map'), element: typeOf(type.value) };
    case 'tuple':
      return {
        ...plain('tuple'),
        fields: new Map([...type.elements].map(([name, each]) => [name, inside(each)])),
      };
    case 'uuid':
      return plain('uuid');
    case 'dynamic':
      return { kind: 'dynamic', isNullable: true };
    case 'ipv4':
    case 'ipv6':
    case 'other':
      return UNKNOWN;
  }
}

/** Of the integers of up to 32 bits. */
function bitsOf({ isSigned, bits }: IntegerType): number | undefined {
  return bits > 32 ? undefined : bits - (isSigned ? 1 : 0);
}

function timeType(type: ClickHouseType): Type {
  if (isDate(type)) return { ...plain('date'), ...(type.name === 'Date32' ? { isWide: true } : {}) };
  if (type.name !== 'DateTime64') return { ...plain('timestamp'), scale: 0 };
  const isWide = (timeScale(type) ?? 9) <= 6 && timeZone(type) === 'UTC';
  return { ...plain('timestamp'), ...(isWide ? { isWide } : {}) };
}

function numberType(type: ClickHouseType): Type {
  const integer = integerOf(type);
  if (integer !== undefined)
    return {
      kind: 'int',
      isNullable: false,
      scale: 0,
      bytes: SIZES[type.name],
      isUnsigned: type.name === 'UInt64',
      bits: bitsOf(integer),
    };
  const decimal = decimalOf(type);
  return decimal === undefined ? plain('float') : { ...plain('decimal'), scale: decimal.scale };
}
