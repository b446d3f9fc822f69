// Reads a query plan: which tables it reads, and how much of each the keys and indexes leave.

/** A query reads `selected` of the granules. */
export interface Selected {
  readonly selected: number;
  readonly total: number;
}

/** A query has one such record for each place where it reads a stored table. */
export interface PlannedRead {
  /** It is `database.table`, or the name of the projection that is read in place of one. */
  readonly name: string;
  /** Both are 0 for a table without keys and indexes, which is read as a whole. */
  readonly granules: Selected;
  readonly isWhole: boolean;
  /** The partition and the keys leave these granules; skip indexes leave some of them. */
  readonly byKeys: number;
  /** These select granules, in this order, such as `partition (ts)` and `primary key (tenant, ts)`. */
  readonly used: readonly string[];
  /** These skip indexes select granules. */
  readonly indexes: readonly string[];
  readonly columns: readonly string[];
}

export interface ReadPlan {
  readonly reads: readonly PlannedRead[];
  /** The engine estimates nothing for these sources of rows, such as ReadFromRemote. */
  readonly others: readonly string[];
  /** True if a table has no rows. */
  readonly isEmpty: boolean;
}

/** Every key in the output of EXPLAIN is optional. */
interface PlanNode {
  readonly 'Node Type'?: string;
  readonly Description?: string;
  readonly Header?: readonly { readonly Name: string }[];
  readonly Indexes?: readonly IndexStep[];
  readonly Plans?: readonly PlanNode[];
}

interface IndexStep {
  readonly Type: string;
  readonly Name?: string;
  readonly Keys?: readonly string[];
  readonly 'Initial Granules'?: number;
  readonly 'Selected Granules'?: number;
}

/** With this before a query, the result is the text for `readPlan`. */
export const EXPLAIN = 'EXPLAIN indexes = 1, projections = 1, header = 1, json = 1 ';

/** These read no rows of tables, or are above those that do. */
const NO_TABLE: ReadonlySet<string> = new Set([
  'ReadFromMerge',
  'ReadFromPreparedSource',
  'ReadFromSystemNumbers',
  'ReadFromSystemOne',
  'ReadNothing',
]);

/** Throws SyntaxError for another text. */
export function readPlan(text: string): ReadPlan {
  const reads: PlannedRead[] = [];
  const others: string[] = [];
  let isEmpty = false;
  const visit = (node: PlanNode): void => {
    const kind = node['Node Type'] ?? '';
    if (kind === 'ReadFromMergeTree') reads.push(readOf(node));
    else if (kind.startsWith('Read') && !NO_TABLE.has(kind)) others.push(sourceOf(node));
    isEmpty ||= kind === 'ReadNothing';
    for (const part of node.Plans ?? []) visit(part);
  };
  for (const { Plan } of JSON.parse(text) as readonly { readonly Plan: PlanNode }[]) visit(Plan); // as EXPLAIN prints it
  return { reads, others, isEmpty };
}

function sourceOf({ 'Node Type': kind = '', Description }: PlanNode): string {
  return Description === undefined ? kind : `${kind} (${Description})`;
}

function readOf({ Description = '', Header = [], Indexes = [] }: PlanNode): PlannedRead {
  const [first, last] = [Indexes.at(0), Indexes.at(-1)];
  const selecting = Indexes.filter(selects);
  const keys = Indexes.filter(({ Type }) => Type !== SKIP);
  return {
    name: Description,
    isWhole: first === undefined,
    granules: { selected: last?.['Selected Granules'] ?? 0, total: first?.['Initial Granules'] ?? 0 },
    byKeys: keys.at(-1)?.['Selected Granules'] ?? 0,
    used: selecting.filter(({ Type }) => Type !== SKIP).map(nameOf),
    indexes: selecting.flatMap(({ Type, Name }) => (Type === SKIP && Name !== undefined ? [Name] : [])),
    columns: Header.map(({ Name }) => Name),
  };
}

function selects(step: IndexStep): boolean {
  const { 'Initial Granules': before = 0, 'Selected Granules': after = 0 } = step;
  return after < before;
}

const SKIP = 'Skip';

function nameOf({ Type, Keys = [] }: IndexStep): string {
  const kind = Type === 'PrimaryKey' ? 'primary key' : 'partition';
  return `${kind} (${Keys.join(', ')})`;
}
