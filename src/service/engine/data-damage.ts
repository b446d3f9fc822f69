// Damaged data of an engine, as it is reported.

/** Parts of a table whose rows no query returns. */
export interface BrokenParts {
  /** The name has its database, as in `app.orders`. */
  readonly table: string;
  readonly parts: number;
  /** They are those of the first parts, in the folder `detached` of the table. */
  readonly names: readonly string[];
  /** They are those of `system.detached_parts`, such as `broken-on-start`. */
  readonly reasons: readonly string[];
}

/** Not found: parts whose whole folder is gone, since tables have no list of their parts. */
export interface DataDamage {
  readonly broken: readonly BrokenParts[];
  /** Tables with data and without a definition: names, or the folders of those whose names are gone too. */
  readonly missing: readonly string[];
  /** Why the data could not be checked. */
  readonly unchecked?: unknown;
}
