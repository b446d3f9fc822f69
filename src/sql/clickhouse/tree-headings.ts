// The parts of nodes in the engine's tree of a query, by their headings.

export interface Heading {
  /** Tables; values that are elements of SELECT or WITH; or other values. */
  readonly holds: 'tables' | 'items' | 'values';
  /** It is true if it may be a part of a query whose rows are groups. */
  readonly isOfGroups?: true;
  /** It is true if it is a part of a query that a tree with resolved names has as well. */
  readonly isOfQuery?: true;
  /** It is true if what is below it may give a name to more than a value. */
  readonly definesNames?: true;
}

const TABLES: Heading = { holds: 'tables' };
const VALUES: Heading = { holds: 'values' };
const OF_QUERY: Heading = { holds: 'values', isOfQuery: true };
const OF_GROUPS: Heading = { holds: 'values', isOfQuery: true, isOfGroups: true };

/** The headings whose contents are known. */
const HEADINGS: ReadonlyMap<string, Heading> = new Map([
  ['WITH', { holds: 'items', isOfGroups: true, definesNames: true }],
  ['PROJECTION', { holds: 'items', isOfQuery: true, isOfGroups: true }],
  ['JOIN TREE', { holds: 'tables', isOfQuery: true, isOfGroups: true }],
  ['TABLE EXPRESSION', TABLES],
  ['LEFT TABLE EXPRESSION', TABLES],
  ['RIGHT TABLE EXPRESSION', TABLES],
  ['JOIN EXPRESSION', VALUES],
  ['JOIN EXPRESSIONS', VALUES],
  ['PREWHERE', OF_QUERY],
  ['WHERE', OF_GROUPS],
  ['GROUP BY', OF_GROUPS],
  ['HAVING', OF_GROUPS],
  ['WINDOW', { holds: 'values', isOfQuery: true, definesNames: true }],
  ['QUALIFY', OF_QUERY],
  ['ORDER BY', OF_GROUPS],
  ['INTERPOLATE', OF_QUERY],
  ['LIMIT BY LIMIT', OF_QUERY],
  ['LIMIT BY OFFSET', OF_QUERY],
  ['LIMIT BY', OF_QUERY],
  ['LIMIT', OF_GROUPS],
  ['OFFSET', OF_GROUPS],
  ['QUERIES', VALUES],
  ['ARGUMENTS', VALUES],
  ['PARAMETERS', VALUES],
  ['PARTITION BY', VALUES],
  ['FRAME BEGIN OFFSET', VALUES],
  ['FRAME END OFFSET', VALUES],
  ['FILL FROM', VALUES],
  ['FILL TO', VALUES],
  ['FILL STEP', VALUES],
  ['FILL STALENESS', VALUES],
  ['INTERPOLATE_EXPRESSION', VALUES],
  ['EXPRESSION', VALUES],
]);

/** The parts of a query in a tree with resolved names. */
export const QUERY_HEADINGS: readonly string[] = [...HEADINGS].flatMap(([name, { isOfQuery }]) =>
  isOfQuery === true ? [name] : [],
);

/** Says what is below a heading; undefined for one that is not known. */
export function headingOf(kind: string): Heading | undefined {
  const isNumbered = /^(?:EXPRESSION |REPLACEMENTS \d+$|REPLACEMENT NAME )/.test(kind);
  return HEADINGS.get(kind) ?? (isNumbered ? VALUES : undefined);
}
