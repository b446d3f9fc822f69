// The engine's own reading of a routed statement, accepted only if it reads no other tables and calls no other functions than are written.
import { attribute, parseTreeLines, type TreeLine, headingOf } from '../../sql/clickhouse/query-tree.ts';
import { parseSavedText } from '../../sql/clickhouse/tree/parse.ts';
import { nodesOf, namesIn, namesOf, nameOf } from '../../sql/clickhouse/tree/visit.ts';

export const OPINION = 'EXPLAIN QUERY TREE run_passes = 0 ';

/** Functions that operators and syntax denote. */
const OF_SYNTAX: ReadonlySet<string> = new Set(
  `equals notequals less lessorequals greater greaterorequals plus minus multiply divide modulo negate and or not in notin like notlike ilike
  notilike concat array tuple arrayelement tupleelement isnull isnotnull isdistinctfrom isnotdistinctfrom between _cast cast if multiif
  casewithexpression match todate tointervalsecond tointervalminute tointervalhour tointervalday tointervalweek tointervalmonth
  tointervalquarter tointervalyear countif sumif minif maxif isnullordefault getsubcolumn`.split(/\s+/),
);

/** Returns whether the engine reads a routed statement as it is read here; `text` is the output of `OPINION`. */
export function isRoutedTree(text: string, sql: string): boolean {
  const tree = parseTreeLines(text);
  if ('fault' in tree) return false;
  const own = parseSavedText(sql);
  if (own.fault !== undefined) return false;
  const tables = new Set(nodesOf(own.root, 'table').map((node) => namesOf(own, node).join('.')));
  const called = new Set(
    namesIn(own, own.root).flatMap(({ name, isCalled }) => (isCalled ? [name.toLowerCase()] : [])),
  );
  const aggregates = new Set([...called].map((name) => `${name}if`));
  const isKnown = (name: string): boolean => {
    const folded = name.toLowerCase();
    return (
      called.has(folded) || OF_SYNTAX.has(folded) || aggregates.has(folded) || folded === 'countdistinct'
    );
  };
  const functions = new Set(nodesOf(own.root, 'table-function').map((node) => nameOf(own, node)));
  return agrees(tree.root, false, { tables, functions, isKnown });
}

interface OwnReading {
  readonly tables: ReadonlySet<string>;
  /** Table functions. */
  readonly functions: ReadonlySet<string>;
  readonly isKnown: (name: string) => boolean;
}

function agrees(line: TreeLine, isTable: boolean, own: OwnReading): boolean {
  const isAccepted = !line.isNode || isKnownNode(line, isTable, own);
  if (!isAccepted) return false;
  // Parts that are not known may be tables where tables are.
  const heading = headingOf(line.kind);
  const isOfTables = line.isNode ? /^(?:LIST|.*JOIN)$/.test(line.kind) : heading === undefined;
  const holdsTables = (isTable && isOfTables) || (!line.isNode && heading?.holds === 'tables');
  return line.children.every((child) => agrees(child, holdsTables, own));
}

function isKnownNode(line: TreeLine, isTable: boolean, { tables, functions, isKnown }: OwnReading): boolean {
  if (line.kind === 'TABLE_FUNCTION') return functions.has(attribute(line, 'table_function_name') ?? '');
  if (line.kind === 'IDENTIFIER' && isTable) return tables.has(attribute(line, 'identifier') ?? '');
  if (line.kind !== 'FUNCTION') return true;
  const name = attribute(line, 'function_name', 'function_type') ?? '';
  return isKnown(name.replace(/, .*$/s, ''));
}
