// Variant and Dynamic in the format Native: types that are declared as the same one, such as JSON as String, have one column.
import { setImmediate } from 'node:timers/promises';
import { Problem } from '../../../../sql/base/problem.ts';
import { SLICE, type NativeColumn, type Pieces } from './native-column.ts';
import { createReader, type Reader } from './reader.ts';
import { inOrder } from './types.ts';

export interface Variants {
  /** How the bytes that name the types are written. */
  readonly mode: Buffer;
  /** In the order in which they are written. */
  readonly columns: readonly NativeColumn[];
  /** The type that each is declared as. */
  readonly declared: readonly string[];
}

const NULL_VARIANT = 0xff;

/** The column with a type once, in the order of the declared names. Throws Problem `format.not_acceptable`. */
export function mergeVariants(reader: Reader, { mode, columns, declared }: Variants): NativeColumn {
  const targets = inOrder([...new Set(declared)]);
  const targetOf = declared.map((name) => targets.indexOf(name));
  const sourcesOf = targets.map((_, target) => [...declared.keys()].filter((at) => targetOf[at] === target));
  const repeated = targets.find((name, at) => (sourcesOf[at]?.length ?? 0) > 1 && name !== 'String');
  if (repeated !== undefined) throw notSeparate(repeated);
  const prefix = sourcesOf.flatMap(([first = 0]) => columns[first]?.prefix ?? []);
  return {
    prefix: [mode, ...prefix],
    values: async (rows) => {
      const sent = reader.bytes(rows);
      const { counts, mapped } = await count(sent, targetOf);
      const read: Pieces[] = [];
      for (const [at, { values }] of columns.entries()) read.push(await values(counts[at] ?? 0));
      const merged: Buffer[] = [mapped];
      for (const sources of sourcesOf)
        merged.push(...(sources.length > 1 ? [await mergeStrings(sent, sources, read)] : (read[sources[0] ?? 0] ?? [])));
      return merged;
    },
  };
} // prettier-ignore

interface Counted {
  /** Values of each type. */
  readonly counts: readonly number[];
  /** The bytes that name the types, by their new places. */
  readonly mapped: Buffer;
}

async function count(sent: Buffer, targetOf: readonly number[]): Promise<Counted> {
  const counts = targetOf.map(() => 0);
  const mapped = Buffer.from(sent);
  for (const [row, index] of sent.entries()) {
    if (row % SLICE === SLICE - 1) await setImmediate();
    if (index === NULL_VARIANT) continue;
    counts[index] = (counts[index] ?? 0) + 1;
    mapped[row] = targetOf[index] ?? index;
  }
  return { counts, mapped };
}

/** Strings of several columns in the order of their rows. */
async function mergeStrings(sent: Buffer, sources: readonly number[], read: readonly Pieces[]): Promise<Buffer> {
  const readers = new Map(sources.map((at) => [at, createReader(Buffer.concat(read[at] ?? []))] as const));
  const strings: Buffer[] = [];
  for (const [row, index] of sent.entries()) {
    if (row % SLICE === SLICE - 1) await setImmediate();
    const reader = readers.get(index);
    if (reader === undefined) continue;
    const start = reader.at();
    reader.bytes(reader.number());
    strings.push(reader.since(start));
  }
  return Buffer.concat(strings);
} // prettier-ignore

function notSeparate(type: string): Problem {
  return new Problem('format.not_acceptable', {
    detail: `In Native, documents are strings, so the column would have the type ${type.slice(0, 100)} twice`,
    hint: 'Convert the column with toString, or request another format.',
  });
}
