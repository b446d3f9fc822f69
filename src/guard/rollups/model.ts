// The records of rollups: aggregates of a table by time and dimensions, and what is known of them.

/** The width of a bucket, in seconds: it divides a day, so that buckets of a day begin at its midnight in UTC. */
export type GrainSeconds = number;

/** A column of a rollup that the rows of a bucket are grouped by. */
export interface RollupDimension {
  /** The name of the rollup's column. */
  readonly name: string;
  /** The expression over the source's columns, as written in the file. */
  readonly expression: string;
}

/** A column of a rollup that holds the state of one aggregate function. */
export interface RollupMeasure {
  /** The name of the rollup's column. */
  readonly name: string;
  /** The aggregate function by its canonical name, without parameters: `count`, `quantileBFloat16`. */
  readonly aggregate: string;
  /** Literals between the first parentheses: `0.95`. */
  readonly parameters: readonly string[];
  /** Expressions over the source's columns, as written in the file. */
  readonly arguments: readonly string[];
  /** The engine's types of these. */
  readonly types: readonly string[];
  /** Merged states may differ from the aggregate of the rows: the file accepts it by name. */
  readonly approximate: boolean;
}

/** A stored table of one grain. */
export interface RollupTable {
  readonly every: GrainSeconds;
  readonly database: string;
  readonly table: string;
}

/** A rollup as its file declares it, with the types of its source's columns. */
export interface Rollup {
  readonly name: string;
  /** The hash of the definition: another definition is another table beside the first one. */
  readonly version: string;
  readonly source: { readonly database: string; readonly table: string };
  /** The source's column of time that buckets are cut by; the rollup's column of buckets has the same name. */
  readonly time: string;
  /** Its type, as the engine describes it: `DateTime64(6)`. */
  readonly timeType: string;
  readonly dimensions: readonly RollupDimension[];
  readonly measures: readonly RollupMeasure[];
  /** One table for each grain, the finest first. */
  readonly tables: readonly RollupTable[];
}

/** A measure before an engine has described its arguments. */
export type MeasureDefinition = Omit<RollupMeasure, 'types'>;

/** A rollup as its file declares it, before an engine has checked it. */
export interface RollupDefinition extends Omit<Rollup, 'timeType' | 'measures'> {
  readonly measures: readonly MeasureDefinition[];
}

/** Buckets outside of the covered times are read from the source. */
export interface RollupCoverage {
  /** The rollup's buckets equal the source's rows from this time on, in microseconds since 1970. */
  readonly from: bigint;
  /** The end of the covered times, exclusive: younger buckets may have an insert in flight. */
  readonly until: bigint;
}

/** It lists the columns that a source has now. */
export interface SourceColumns {
  /** If a name has dots, its first parts are here as well. */
  readonly all: ReadonlySet<string>;
  /** `*` leaves these out: ALIAS, MATERIALIZED and EPHEMERAL. */
  readonly hidden: ReadonlySet<string>;
  /** It is the same for the same columns. */
  readonly id: string;
}

/** Numbers of rows as they were last read. */
export interface RollupSize {
  readonly ofSource: number;
  /** The key is the name of a table of the rollup. */
  readonly ofTables: ReadonlyMap<string, number>;
}

/** A rollup that queries can read, and for which times. */
export interface RollupInUse {
  readonly rollup: Rollup;
  readonly coverage: RollupCoverage;
  readonly columns: SourceColumns;
  /** Undefined: it is not known. */
  readonly size?: RollupSize | undefined;
}
