// Bodies in the format Native, as clients read them: with documents declared as the strings that they are, with time zones, and, for
// clients with a protocol version, with the header of each block and a byte after each type. The engine has no settings for these.
import { Problem } from '../../../../sql/base/problem.ts';
import type { Column } from '../../../engine/engine.ts';
import type { EngineFormat } from '../../../formats/clickhouse-formats.ts';
import { timeZone } from '../../../../sql/types/traits.ts';
import { parseType, printType } from '../../../../sql/types/type.ts';
import { readColumn } from './columns.ts';
import { UnknownType } from './native-column.ts';
import { createReader, numberBytes, textBytes, type Reader } from './reader.ts';
import { withoutDocuments } from './types.ts';

/** From this version on, types of times have their zone. */
export const WITH_ZONES = 54_337;
/** From this version on, a byte after each type says whether the column is written in another way (sparse, for instance). */
const WITH_SERIALIZATION = 54_454;
/** Of an ordinary block: no overflow rows (field 1), no bucket (field 2), end. */
const BLOCK_INFO = Buffer.from([1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0]);
const DEFAULT_SERIALIZATION = Buffer.from([0]);

/**
 * Adds what a client of this protocol version expects; 0 is none, and the result is the same buffer. Throws Problem
 * `format.not_acceptable` for columns of types that it does not know.
 */
export async function withBlockInfo(body: Buffer, version: number): Promise<Buffer> {
  if (version === 0 || body.length === 0) return body;
  const added = version < WITH_SERIALIZATION ? [] : [DEFAULT_SERIALIZATION];
  return copy(body, { block: [BLOCK_INFO], column: added, typeOf: declaredType }).catch((error: unknown) => {
    throw error instanceof UnknownType ? unsupported(error.message) : error;
  });
}

/** Returns whether types are written in binary, as few clients read them. They are left as the engine writes them. */
export function hasBinaryTypes({ settings }: Pick<EngineFormat, 'settings'>): boolean {
  return settings['output_format_native_encode_types_in_binary_format'] === '1';
}

/** A column of which the engine leaves out the zone. */
const PLAIN_TIME = 'DateTime';

/** Returns whether it is a column of times with the zone that the engine leaves out. */
function isZoned(type: string): boolean {
  const parsed = parseType(type);
  return parsed.name === PLAIN_TIME && timeZone(parsed) !== undefined;
}

/**
 * A result of the engine with documents declared as the strings that they are, and with zones if the format has them. `columnsOf`
 * describes the columns of the result. Throws Problem.
 */
export async function asDeclared(
  body: Buffer,
  format: EngineFormat,
  columnsOf: () => Promise<readonly Pick<Column, 'type'>[]>,
): Promise<Buffer> {
  if (format.engine !== 'Native' || hasBinaryTypes(format)) return body;
  const hasTimes = format.hasZones === true && body.includes(textBytes(PLAIN_TIME));
  const columns = hasTimes ? await columnsOf() : [];
  return withDeclaredTypes(
    body,
    columns.map(({ type }) => type),
  );
}

/**
 * Documents declared as strings, also inside of other types, and times with the zones of `types`, which are those of the columns, in
 * order. The same buffer if nothing changes. Throws Problem `format.not_acceptable`.
 */
export async function withDeclaredTypes(body: Buffer, types: readonly string[]): Promise<Buffer> {
  if (!body.includes('JSON') && !types.some(isZoned)) return body;
  const typeOf = (text: string, column: number): string => {
    const type = types[column];
    return text === PLAIN_TIME && type !== undefined && isZoned(type) ? type : declaredType(text);
  };
  const written = await copy(body, { block: [], column: [], typeOf }).catch((error: unknown) => {
    if (error instanceof UnknownType) return body; // a column that only clients without a protocol version can ask for
    throw error;
  });
  return written.equals(body) ? body : written;
}

function declaredType(text: string): string {
  if (!text.includes('JSON')) return text;
  const type = parseType(text);
  const declared = printType(withoutDocuments(type));
  return declared === printType(type) ? text : declared;
}

interface Changes {
  /** Before each block. */
  readonly block: readonly Buffer[];
  /** After the type of each column. */
  readonly column: readonly Buffer[];
  readonly typeOf: (text: string, column: number) => string;
}

async function copy(body: Buffer, changes: Changes): Promise<Buffer> {
  const reader = createReader(body);
  const pieces: Buffer[] = [];
  while (!reader.isAtEnd()) {
    pieces.push(...changes.block);
    await copyBlock(reader, changes, pieces);
  }
  return Buffer.concat(pieces);
}

async function copyBlock(reader: Reader, { column: added, typeOf }: Changes, pieces: Buffer[]): Promise<void> {
  const [columns, rows] = [reader.number(), reader.number()];
  pieces.push(numberBytes(columns), numberBytes(rows));
  for (let column = 0; column < columns; column++) {
    const start = reader.at();
    reader.bytes(reader.number());
    pieces.push(reader.since(start));
    const type = reader.text();
    pieces.push(textBytes(typeOf(type, column)), ...added);
    if (rows === 0) continue;
    const { prefix, values } = readColumn(reader, parseType(type));
    pieces.push(...prefix, ...(await values(rows)));
  }
} // prettier-ignore

function unsupported(name: string): Problem {
  return new Problem('format.not_acceptable', {
    detail: `The format Native with a protocol version has no columns of type ${name.slice(0, 100)}`,
    hint: 'Convert the column with toString, or request another format.',
  });
}
