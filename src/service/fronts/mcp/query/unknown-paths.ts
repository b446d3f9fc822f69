// Paths of documents that a query names and that are not declared: they are no error, but NULL in every row.
import { didYouMean, nearest } from '../../../../sql/base/nearest.ts';
import type { VisibleTable } from '../../../request/consumer/visible-tables.ts';
import { parseSavedText } from '../../../../sql/clickhouse/tree/parse.ts';
import { namesOf, walk } from '../../../../sql/clickhouse/tree/visit.ts';
import { parseColumnType } from '../../../../sql/types/column-type.ts';
import { plainText } from '../endpoints/table-text.ts';

const MAX_NOTES = 5;
/** A longer query is not searched. */
const MAX_QUERY = 65_536;
/** Different paths of a query that are looked up. */
const MAX_PATHS = 100;
/** Characters of a path in a note. */
const MAX_SHOWN = 200;

/** One sentence for each such path. Columns without declared paths are not checked. */
export function unknownPathNotes(
  query: { readonly sql: string | undefined; readonly lql: string | undefined },
  tables: readonly VisibleTable[],
): readonly string[] {
  const declared = declaredPaths(tables);
  if (declared.size === 0) return [];
  const named = query.sql === undefined ? lqlPaths(query.lql ?? '') : sqlPaths(query.sql);
  const distinct = new Map(named.map((parts) => [parts.join('.'), parts]));
  const notes = new Set<string>();
  for (const parts of [...distinct.values()].slice(0, MAX_PATHS)) {
    const note = noteOf(parts, declared);
    if (note !== undefined) notes.add(note);
    if (notes.size >= MAX_NOTES) break;
  }
  return [...notes];
}

/** By column, in any of the tables. */
function declaredPaths(tables: readonly VisibleTable[]): ReadonlyMap<string, readonly string[]> {
  const declared = new Map<string, readonly string[]>();
  for (const { name, type } of tables.flatMap(({ columns }) => columns)) {
    const shape = parseColumnType(type);
    if (shape.kind !== 'json' || shape.paths.size === 0) continue;
    declared.set(name, [...(declared.get(name) ?? []), ...shape.paths.keys()]);
  }
  return declared;
}

/** `parts` may begin with a table or its alias. */
function noteOf(
  parts: readonly string[],
  declared: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const at = parts.findIndex((part, index) => index < 2 && declared.has(part));
  const [column = '', path] = [parts[at], parts.slice(at + 1).join('.')];
  const known = declared.get(column);
  if (at < 0 || path === '' || known === undefined) return undefined;
  if (known.some((each) => each === path || each.startsWith(`${path}.`) || path.startsWith(`${each}.`)))
    return undefined;
  const guess = nearest(path, known) ?? known.find((each) => each.endsWith(`.${parts.at(-1) ?? ''}`));
  const meant = didYouMean(guess === undefined ? undefined : `${column}.${guess}`);
  return plainText(
    `${column}.${path.slice(0, MAX_SHOWN)} is no declared path, and NULL in rows without it.${meant === undefined ? ' describe_tables lists the paths.' : ` ${meant}`}`,
  );
}

/** Names with dots, as lists of their parts. */
function sqlPaths(sql: string): readonly (readonly string[])[] {
  if (sql.length > MAX_QUERY) return [];
  const tree = parseSavedText(sql);
  const paths: (readonly string[])[] = [];
  walk(tree.root, (node) => {
    if (node.kind === 'column' && node.to > node.from + 1) paths.push(namesOf(tree, node));
  });
  return paths;
}

/** `m.` is short for `metadata.`. */
function lqlPaths(lql: string): readonly (readonly string[])[] {
  const found = lql.slice(0, MAX_QUERY).matchAll(/(?:^|[\s(:-])([A-Za-z_]\w*(?:\.\w+)+)(?=[:@)\s]|$)/g);
  return [...found].map(([, path = '']) => path.replace(/^m\./, 'metadata.').split('.'));
}
