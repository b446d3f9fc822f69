// Queries over what a pipe returns: `_`, or the name of the pipe. The final SELECT of the saved query takes its place, as text over the
// tables that consumer queries may read, so that the sandbox checks it as it checks the rest of the query.
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { positionAt } from '../../../sql/base/position.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText, parseSentText } from '../../../sql/clickhouse/tree/parse.ts';
import { nameOf, namesOf, someNode, spanOf, walk } from '../../../sql/clickhouse/tree/visit.ts';
import { applyEdits, inOriginal, lineStartsOf, type Edit } from '../clickhouse/edited-text.ts';
import type { SentQuery } from './statement.ts';

/** A table that a query reads, by its name in full. */
export interface ReadTable {
  readonly name: string;
  /** Where it is in the text. */
  readonly start: number;
  readonly end: number;
  /** It is true if its columns can be qualified by the name, so that something in its place needs the name as an alias. */
  readonly needsAlias: boolean;
}

/** A query for the sandbox, and the way back to what was sent. */
export interface PlacedQuery {
  readonly text: string;
  /** A problem with the query, at its place in what was sent. */
  readonly located: (problem: Problem) => Problem;
}

/** The tables that a query reads, without those of its own WITH clauses. */
export function tablesRead(text: string): readonly ReadTable[] {
  const tree = parseSentText(text);
  const own = new Set<string>();
  const tables: ReadTable[] = [];
  walk(tree.root, (node, parent) => {
    if (node.kind === 'with-table') own.add(nameOf(tree, node));
    if (node.kind === 'table') tables.push(tableAt(tree, node, parent));
  });
  return tables.filter(({ name }) => !own.has(name));
}

function tableAt(tree: Tree, node: Node, parent: Node | undefined): ReadTable {
  const isSource = parent?.kind === 'source';
  const needsAlias = isSource && parent.at < node.to;
  return { name: namesOf(tree, node).join('.'), ...spanOf(tree, node), needsAlias };
}

/** Puts what the endpoint returns in place of these names. Throws Problem `sandbox.table_denied` if that cannot be read. */
export function placeResult(
  { source, select }: SentQuery,
  endpoint: Endpoint,
  names: ReadonlySet<string>,
): PlacedQuery {
  const exposed = exposedTables(endpoint);
  const used = tablesRead(select.text).filter(({ name }) => names.has(name) && !exposed.has(name));
  const [first] = used;
  const result = first && resultOf(endpoint, exposed);
  if (first !== undefined && result === undefined) {
    const message = `${first.name} cannot be read by queries here`;
    throw inOriginal(
      new Problem('sandbox.table_denied', {
        detail: message,
        hint: NODES_HINT,
        errors: [{ ...positionAt(select.text, first.start), message }],
      }),
      source,
      select,
    );
  }
  const edits = used.map(({ name, start, end, needsAlias }): Edit => {
    const alias = needsAlias ? ` AS ${quoteIdentifier(name)}` : '';
    return { start, end, text: `(${result ?? ''}\n)${alias}` };
  });
  const placed = applyEdits(select.text, edits);
  const lineStarts = lineStartsOf(placed.text);
  const isPlaced = (line: number, column: number): boolean => {
    const at = placed.sourceOffset((lineStarts[line - 1] ?? 0) + column - 1);
    return used.some(({ start }) => start === at);
  };
  return {
    text: placed.text,
    located: (problem) => {
      const isOfResult = problem.errors.some(
        ({ line, column = 1 }) => line !== undefined && isPlaced(line, column),
      );
      const shown = isOfResult ? withoutText(problem) : problem;
      return inOriginal(inOriginal(shown, select.text, placed), source, select);
    },
  };
}

const NODES_HINT = 'Read a node of the pipe by its name: GET /v0/pipes lists them.';

/** A message about the final SELECT would have parts of the saved query. */
function withoutText({ code, errors }: Problem): Problem {
  const message = 'What the pipe returns cannot be read by queries';
  const places = errors.map(({ line, column }) => ({
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    message,
  }));
  return new Problem(code, { detail: message, hint: NODES_HINT, errors: places });
}

export function exposedTables({ outline }: Pick<Endpoint, 'outline'>): ReadonlySet<string> {
  return new Set(outline.elements.filter(({ kind }) => kind === 'table').map(({ name }) => name));
}

/**
 * The final SELECT of the saved query. Undefined if it is not the same for every call, or reads anything but tables that consumer queries
 * may read.
 */
function resultOf(endpoint: Endpoint, exposed: ReadonlySet<string>): string | undefined {
  const { query, outline } = endpoint;
  if (outline.settings !== undefined || !endpoint.hasEveryVariant || endpoint.variants().length > 1)
    return undefined;
  const text = query.slice(outline.mainStart, outline.mainEnd);
  const tree = parseSavedText(text);
  const named = new Set(outline.elements.filter(({ kind }) => kind !== 'table').map(({ name }) => name));
  const isForeign = (node: Node): boolean =>
    UNREADABLE.has(node.kind) ||
    (node.kind === 'table' && !exposed.has(namesOf(tree, node).join('.'))) ||
    (node.kind === 'column' && named.has(namesOf(tree, node)[0] ?? '')) ||
    (node.kind === 'call' && named.has(nameOf(tree, node)));
  return tree.fault !== undefined || someNode(tree.root, isForeign) ? undefined : text;
}

const UNREADABLE: ReadonlySet<Node['kind']> = new Set<Node['kind']>([
  'placeholder',
  'table-function',
  'with',
  'settings',
]);
