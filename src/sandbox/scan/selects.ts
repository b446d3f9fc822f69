// What a scan finds about each SELECT: its sources and the matchers that expand to their columns.

/** A table expression of FROM or JOIN. */
export interface SourceFinding {
  /** The endpoint's table; undefined for subqueries and the consumer's own WITH tables. */
  readonly table: string | undefined;
  /** The name that qualifies its columns; undefined if there is none. */
  readonly alias: string | undefined;
  /** Index of its first token. */
  readonly at: number;
}

/** `*`, `name.*` or `COLUMNS('pattern')`. */
export interface StarFinding {
  /** Index of its last token, before its column modifiers. */
  readonly end: number;
  readonly isQualified: boolean;
  /** Undefined if it is not qualified, or by more than one name. */
  readonly qualifier: string | undefined;
}

export interface SelectFinding {
  /** Index of its first token, and of the token after its last. */
  readonly start: number;
  end: number;
  readonly sources: SourceFinding[];
  readonly stars: StarFinding[];
  /** Whether it has ARRAY JOIN, after which a name can mean an element of a column. */
  isMultiplied: boolean;
  /** Elements of its SELECT clause: their tokens, and the token of the alias if there is one. */
  readonly items: ItemFinding[];
  /** Whether a name is defined in it after the SELECT clause: an alias, a window. */
  definesLater: boolean;
}

export interface ItemFinding {
  readonly start: number;
  readonly end: number;
}

export function createSelect(start: number): SelectFinding {
  return { start, end: start, sources: [], stars: [], isMultiplied: false, items: [], definesLater: false };
}
