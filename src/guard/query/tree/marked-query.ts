// Marks the parameters of a bound query, so that they can be found in the engine's tree, which replaces them by values.
import { decodedName } from '../../../sql/clickhouse/quoted-name.ts';
import { placeholdersIn, tokenTexts, type PlaceholderText } from '../../../sql/clickhouse/tree/lexemes.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { nameOf, partOf, sourceOf, walk } from '../../../sql/clickhouse/tree/visit.ts';
import { hasPlainQuotes } from '../../redact/subcolumn-name.ts';

/** Where `{name:Type}` is in a bound query. */
export type MarkedUse = Pick<PlaceholderText, 'name' | 'start' | 'end'>;

/** The parameters of a bound query, in order. */
export function usesOf(sql: string): readonly MarkedUse[] {
  return placeholdersIn(sql);
}

/**
 * The query with each parameter of `uses` as an element of a constant tuple, whose other element has its name and the number of
 * the use. `marker` must be a word that the query's author cannot know. The type and the value stay the same.
 */
export function markParameters(sql: string, uses: readonly MarkedUse[], marker: string): string {
  let text = '';
  let copied = 0;
  for (const [index, { name, start, end }] of uses.entries()) {
    text += `${sql.slice(copied, start)}tupleElement((${sql.slice(start, end)}, '${marker}:${name}:${index}'), 1)`;
    copied = end;
  }
  return text + sql.slice(copied);
}

/**
 * Returns whether a quoted name could be mistaken for a part of the engine's tree, which is text: names with control characters, with what
 * follows attributes there, or with backquotes that are not those of the engine's own names of subcolumns.
 */
export function hasAmbiguousName(sql: string): boolean {
  return tokenTexts(sql, 'quoted').some((text) => isAmbiguous(decodedName(text)));
}

function isAmbiguous(name: string | undefined): boolean {
  return name === undefined || CONTROLS.test(name) || /, \w+: /.test(name) || !hasPlainQuotes(name);
}

// oxlint-disable-next-line no-control-regex -- a name with a line break could imitate other lines
const CONTROLS = /[\x00-\x1f\x7f]/;

/** By `database.name`: the arguments of each call of it in a bound query, such as those of views with parameters. */
export function callsOf(sql: string, names: Iterable<string>): ReadonlyMap<string, string> {
  const tree = parseSavedText(sql);
  // Calls that are not read may differ as the whole query does.
  const unread = tree.fault === undefined ? [] : [sql];
  const calls = new Map([...names].map((name): [string, string[]] => [name, [...unread]]));
  walk(tree.root, (node) => {
    const passed = node.kind === 'table-function' ? partOf(node, 'arguments') : undefined;
    if (passed === undefined) return;
    for (const [name, found] of calls)
      if (name.endsWith(`.${nameOf(tree, node)}`)) found.push(sourceOf(tree, passed));
  });
  return new Map([...calls].map(([name, found]) => [name, found.join(', ')]));
}
