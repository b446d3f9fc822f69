// A column of the format Native while it is copied.

/** Values that are read one by one before other calls may run. */
export const SLICE = 65_536;

export type Pieces = readonly Buffer[];

export interface NativeColumn {
  /** What precedes the values. */
  readonly prefix: Pieces;
  /** Moves over the values of a number of rows, and returns them. */
  readonly values: (rows: number) => Promise<Pieces> | Pieces;
}

/** A type that is not known, or is written in another way. */
export class UnknownType extends Error {}
