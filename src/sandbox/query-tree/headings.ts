// The parts of nodes in the engine's tree of a query, by their headings.

export interface Heading {
  /** Tables; values that are elements of SELECT or WITH; or other values. */
  readonly holds: 'tables' | 'items' | 'values';
  /** Whether it may be a part of a query whose rows are groups. */
  readonly isOfGroups?: true;
}

const TABLES: Heading = { holds: 'tables' };
const VALUES: Heading = { holds: 'values' };
const OF_GROUPS: Heading = { holds: 'values', isOfGroups: true };

/** The headings whose contents are known. */
const HEADINGS: ReadonlyMap<string, Heading> = new Map([
  ['WITH', { holds: 'items', isOfGroups: true }],
  ['PROJECTION', { holds: 'items', isOfGroups: true }],
  ['JOIN TREE', { holds: 'tables', isOfGroups: true }],
  ['TABLE EXPRESSION', TABLES],
  ['LEFT TABLE EXPRESSION', TABLES],
  ['RIGHT TABLE EXPRESSION', TABLES],
  ['JOIN EXPRESSION', VALUES],
  ['JOIN EXPRESSIONS', VALUES],
  ['PREWHERE', VALUES],
  ['WHERE', OF_GROUPS],
  ['GROUP BY', OF_GROUPS],
  ['HAVING', OF_GROUPS],
  ['WINDOW', VALUES],
  ['QUALIFY', VALUES],
  ['ORDER BY', OF_GROUPS],
  ['INTERPOLATE', VALUES],
  ['LIMIT BY LIMIT', VALUES],
  ['LIMIT BY OFFSET', VALUES],
  ['LIMIT BY', VALUES],
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

/** Says what is below a heading; undefined for one that is not known. */
export function headingOf(kind: string): Heading | undefined {
  const isNumbered = /^(?:EXPRESSION |REPLACEMENTS \d+$|REPLACEMENT NAME )/.test(kind);
  return HEADINGS.get(kind) ?? (isNumbered ? VALUES : undefined);
}
