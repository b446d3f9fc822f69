// Constructs that both dialects have, and that BigQuery reads otherwise. They matter only for a query that ClickHouse cannot run.
import { rawTexts } from '../../../sql/clickhouse/tree/lexemes.ts';
import type { Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { nameOf, namesOf, partOf, someNode, walk } from '../../../sql/clickhouse/tree/visit.ts';
import type { EvidenceText } from './dialect-evidence.ts';
import { hasDoubleQuotedString } from './double-quoted.ts';

/** Whether the query has such a construct. */
export function isReadAsBigQuery(text: EvidenceText): boolean {
  const tree = text.tree();
  return (
    tree !== undefined &&
    (hasOwnQuotes(tree.cursor.sql) ||
      hasOrderOfUnion(tree) ||
      hasTableAsValue(tree, text.columns) ||
      hasDoubleQuotedString(tree, text))
  );
}

/**
 * `# …`: the engine reads it too, if a space follows, but consumer queries in ClickHouse SQL must not have it. And `'''it's'''`: to the
 * engine, a doubled quote.
 */
function hasOwnQuotes(sql: string): boolean {
  return /#|'''|"""/.test(sql) && rawTexts(sql).some((each) => /^(?:#|'''|""")/.test(each));
}

/** `SELECT a … UNION ALL SELECT b … ORDER BY a`: in ClickHouse, the order of the last SELECT. */
function hasOrderOfUnion({ root }: Tree): boolean {
  return someNode(
    root,
    ({ kind, parts: [, ...members] }) =>
      kind === 'union' &&
      members.some((each) => each.kind === 'select' && partOf(each, 'order-by') !== undefined),
  );
}

/** `SELECT t FROM logs AS t`: the whole row. */
function hasTableAsValue(tree: Tree, columns: ReadonlySet<string>): boolean {
  const sources = new Set<string>();
  const selected: string[] = [];
  walk(tree.root, (node) => {
    const { kind, parts } = node;
    if (kind === 'source' || kind === 'table') sources.add(nameOf(tree, node).toLowerCase());
    if (kind !== 'list') return;
    for (const item of parts) {
      const value = item.kind === 'alias' ? item.parts[0] : item;
      const [name = '', ...rest] = value?.kind === 'column' ? namesOf(tree, value) : [];
      if (rest.length === 0) selected.push(name.toLowerCase());
    }
  });
  return selected.some((name) => name !== '' && sources.has(name) && !columns.has(name));
}
