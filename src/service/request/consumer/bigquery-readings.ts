// Constructs that both dialects have, and that BigQuery reads otherwise. They matter only for a query that ClickHouse cannot run.
import { misspelled } from '../../../sql/base/nearest.ts';
import { CONSUMER_QUERY_LIMITS } from '../../../guard/sandbox/lexed-query.ts';
import { rawTexts } from '../../../sql/clickhouse/tree/lexemes.ts';
import type { Node, NodeKind, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { parseSaved } from '../../../sql/clickhouse/tree/parse.ts';
import { nameOf, namesOf, partOf, sourceOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { EvidenceText } from './dialect-evidence.ts';

/** Returns whether the query has such a construct. A query that is nested too deeply is no query in any dialect. */
export function isReadAsBigQuery(text: EvidenceText): boolean {
  if (text.levels().depth > CONSUMER_QUERY_LIMITS.depth) return false;
  const tree = parseSaved(text.query);
  if (hasOwnQuotes(tree.cursor.sql)) return true;
  const found = readConstructs(tree);
  return found.hasOrderOfUnion || hasTableAsValue(found, text) || hasDoubleQuotedString(tree, found, text);
}

/**
 * `# …`: the engine reads it too, if a space follows, but consumer queries in ClickHouse SQL must not have it. And `'''it's'''`: to the
 * engine, a doubled quote.
 */
function hasOwnQuotes(sql: string): boolean {
  return /#|'''|"""/.test(sql) && rawTexts(sql).some((each) => /^(?:#|'''|""")/.test(each));
}

/** These constructs of a query decide how it is read. All names are in lower case. */
interface Constructs {
  hasOrderOfUnion: boolean;
  hasStrings: boolean;
  /** It counts the names in double quotes. */
  quoted: number;
  /** At these places, names are in double quotes, and a string is more likely than a name. */
  readonly places: Node[];
  readonly aliases: string[];
  readonly sources: Set<string>;
  /** These columns are selected under no other name than their own. */
  readonly selected: string[];
}

function readConstructs(tree: Tree): Constructs {
  const found: Constructs = {
    hasOrderOfUnion: false,
    hasStrings: false,
    quoted: 0,
    places: [],
    aliases: [],
    sources: new Set(),
    selected: [],
  };
  const visit = (node: Node, parents: readonly Node[]): void => {
    const { kind, parts } = node;
    if (NAMING.has(kind)) found.aliases.push(nameOf(tree, node).toLowerCase());
    if (kind === 'source' || kind === 'table') found.sources.add(nameOf(tree, node).toLowerCase());
    if (kind === 'string') found.hasStrings = true;
    if (kind === 'union' && hasOrder(node)) found.hasOrderOfUnion = true;
    if (isDoubleQuoted(tree, node)) {
      found.quoted++;
      if (isValue(tree, node, parents)) found.places.push(node);
    }
    for (const part of parts) {
      if (kind === 'list') found.selected.push(...selectedName(tree, part));
      visit(part, [node, ...parents.slice(0, 2)]);
    }
  };
  visit(tree.root, []);
  return found;
}

const NAMING: ReadonlySet<NodeKind> = new Set<NodeKind>(['alias', 'with-value', 'with-table', 'source']);

/** Finds `SELECT a … UNION ALL SELECT b … ORDER BY a`: in ClickHouse, ORDER BY belongs to the last SELECT. */
function hasOrder({ parts: [, ...members] }: Node): boolean {
  return members.some((each) => each.kind === 'select' && partOf(each, 'order-by') !== undefined);
}

function selectedName(tree: Tree, item: Node): readonly string[] {
  const value = item.kind === 'alias' ? item.parts[0] : item;
  const [name = '', ...rest] = value?.kind === 'column' ? namesOf(tree, value) : [];
  return name === '' || rest.length > 0 ? [] : [name.toLowerCase()];
}

/** Finds `SELECT t FROM logs AS t`, which selects the whole row. */
function hasTableAsValue({ selected, sources }: Constructs, { columns }: EvidenceText): boolean {
  return selected.some((name) => sources.has(name) && !columns.has(name));
}

/** A query has at most this many: each is compared with the names of tables and columns. */
const MAX_QUOTED = 200;

/**
 * Returns whether the query has a string in double quotes, as in BigQuery SQL. A misspelled name would be compared or selected as a string,
 * with wrong rows instead of an error, so what may be a name is not read as a string.
 */
function hasDoubleQuotedString(
  tree: Tree,
  { places, aliases, quoted, hasStrings }: Constructs,
  { tables, columns }: EvidenceText,
): boolean {
  if (places.length === 0 || quoted > MAX_QUOTED) return false;
  const known = [...tables, ...columns, ...aliases];
  return places.some((node) => {
    const inner = sourceOf(tree, node).slice(1, -1);
    const [first = inner] = inner.split('.');
    if (known.includes(first.toLowerCase()) || (hasStrings && NAME.test(inner))) return false;
    return misspelled(inner, known) === undefined;
  });
}

/** In a query with strings in single quotes, double quotes are for names. */
const NAME = /^[A-Za-z_]\w*(?:\.\w+)*$/;

/** Returns whether the node is a name of its own in double quotes, also in a list after IN, where a single one is read as a table. */
function isDoubleQuoted(tree: Tree, { kind, from, to }: Node): boolean {
  return (
    (kind === 'column' || kind === 'table') && to === from + 1 && wordOf(tree, { at: from }).startsWith('"')
  );
}

const COMPARISONS: ReadonlySet<string> = new Set([
  '=',
  '==',
  '!=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  'LIKE',
  'NOT',
]);

/** Returns whether the node is compared with a value, in a list, or selected under a name. */
function isValue(tree: Tree, node: Node, [parent, outer]: readonly Node[]): boolean {
  const { kind = 'select', parts = [] } = parent ?? {};
  const at = parts.indexOf(node);
  const beside = (index: number): boolean => {
    const other = parts[index];
    return other !== undefined && !isConstant(tree, other);
  };
  // Rows are not ordered or grouped by a constant.
  if (outer?.kind === 'order-item' || outer?.kind === 'group-by')
    return kind === 'arguments' && parts.length > 1;
  if (kind === 'binary')
    return parent !== undefined && COMPARISONS.has(wordOf(tree, parent)) && beside(1 - at);
  if (kind === 'concat') return beside(at === 0 ? 1 : at - 1);
  if (kind === 'between') return at > 0 && beside(0);
  if (kind === 'when') return at === 1;
  if (kind === 'arguments') return parts.length > 1;
  if (kind === 'group' || kind === 'tuple') return outer?.kind === 'in' && outer.parts[1] === parent;
  return kind === 'alias' || kind === 'else';
}

/** Of two constants that are compared, one is meant as a name. */
function isConstant(tree: Tree, node: Node): boolean {
  return node.kind === 'string' || node.kind === 'number' || isDoubleQuoted(tree, node);
}
