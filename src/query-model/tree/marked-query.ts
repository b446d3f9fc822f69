// Marks the parameters of a bound query, so that they can be found in the engine's tree, which replaces them by values.
import { createCursor } from '../../sql/cursor.ts';
import { decodedName } from '../../sql/quoted-name.ts';
import { hasPlainQuotes } from '../../redact/subcolumn-name.ts';

/** Where `{name:Type}` is in a bound query. */
export interface MarkedUse {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The parameters of a bound query, in order. */
export function usesOf(sql: string): readonly MarkedUse[] {
  const query = createCursor(sql);
  const uses: MarkedUse[] = [];
  for (let at = 0; at < query.length; at++) {
    if (query.kind(at) !== '{' || query.kind(at + 1) !== 'word' || query.kind(at + 2) !== ':') continue;
    const after = query.after(at);
    const name = sql.slice(query.start(at + 1), query.end(at + 1));
    uses.push({ name, start: query.start(at), end: query.end(after - 1) });
    at = after - 1;
  }
  return uses;
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
 * Whether a quoted name could be mistaken for a part of the engine's tree, which is text: names with control characters, with what
 * follows attributes there, or with backquotes that are not those of the engine's own names of subcolumns.
 */
export function hasAmbiguousName(sql: string): boolean {
  return createCursor(sql).tokens.some(
    ({ kind, start, end }) => kind === 'quoted' && isAmbiguous(decodedName(sql.slice(start, end))),
  );
}

function isAmbiguous(name: string | undefined): boolean {
  return name === undefined || CONTROLS.test(name) || /, \w+: /.test(name) || !hasPlainQuotes(name);
}

// oxlint-disable-next-line no-control-regex -- a name with a line break could imitate other lines
const CONTROLS = /[\x00-\x1f\x7f]/;

/** By `database.name`: the arguments of each call of it in a bound query, such as those of views with parameters. */
export function callsOf(sql: string, names: Iterable<string>): ReadonlyMap<string, string> {
  const query = createCursor(sql);
  const calls = new Map<string, string>();
  for (const name of names) {
    const last = name.slice(name.lastIndexOf('.') + 1);
    const found = query.tokens.flatMap((_, at) => {
      const isCall = query.name(at) === last && query.kind(at + 1) === '(';
      return isCall ? sql.slice(query.start(at + 1), query.end(query.after(at + 1) - 1)) : [];
    });
    calls.set(name, found.join(', '));
  }
  return calls;
}
