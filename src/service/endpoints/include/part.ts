// What a file offers to those that include it: tables in one WITH clause, parameters and policies, each located in the file that
// has it.
import type { Include, Parameter } from '../../config/generated/endpoint.ts';
import type { Path, YamlDocument } from '../../config/yaml-document.ts';
import { readClause, type Clause } from '../../../sql/clickhouse/clause.ts';
import { outlineOf, type Outline } from '../../../sql/clickhouse/outline.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { tokenAt } from '../../../sql/clickhouse/tree/tokens.ts';
import { slicePieces, textOf, type Origin, type Piece } from './pieces.ts';

/** A value of an endpoint file, and where it is written. */
export interface Placed<T> {
  readonly value: T;
  readonly document: YamlDocument;
  readonly path: Path;
}

/** A file with all that it includes. */
export interface Part {
  /** The name of the file. */
  readonly name: string;
  readonly document: YamlDocument;
  /** A query whose WITH clause has the tables; for a shared file, its main SELECT has no meaning. */
  readonly query: readonly Piece[];
  /** Names of the tables that this file defines itself. */
  readonly ownTables: () => readonly string[];
  readonly parameters: ReadonlyMap<string, Placed<Parameter>>;
  readonly policies: ReadonlyMap<string, Placed<unknown>>;
  /** Its tables, read once; undefined if the query cannot be read, which the file's own findings say. */
  readonly tables: () => PartTables | undefined;
  /** What restricts its tables: `pii`, `tenancy`, `budget`. */
  readonly restrictions: ReadonlySet<string>;
}

/** An include with the part that it names. */
export interface ResolvedInclude {
  readonly include: Include;
  /** In the list of the file. */
  readonly index: number;
  readonly part: Part;
}

/** Reports an error at a path of the including file. */
export type Note = (code: `include.${string}`, path: Path, message: string, hint?: string) => void;

/** One element of a WITH clause that is included, or the result of an endpoint. */
export interface Included {
  readonly name: string;
  readonly kind: 'table' | 'scalar' | 'expression';
  readonly pieces: readonly Piece[];
}

/** The name of a table with the result of a query, and where the name is written. */
export interface NamedResult {
  readonly name: string;
  readonly origin: Origin;
}

/** The tables of a part, by name. */
export interface PartTables {
  /** Of all tables, those that the part includes itself among them. */
  readonly names: readonly string[];
  /** Every name that its WITH clause defines. */
  readonly defined: readonly string[];
  /** These tables, the elements that they need before them, and the result of the query as a table of that name. */
  readonly take: (tables: readonly string[], result: NamedResult | undefined) => readonly Included[];
  /** It is true if the query has a SETTINGS clause, which its result as a table does not have. */
  readonly hasSettings: boolean;
}

/** Reads the WITH clause of a query, when it is called first. */
export function tablesIn(query: readonly Piece[]): Part['tables'] {
  let read: { readonly tables: PartTables | undefined } | undefined;
  return () => (read ??= { tables: readTables(query) }).tables;
}

function readTables(query: readonly Piece[]): PartTables | undefined {
  const sql = textOf(query);
  const tree = parseSavedText(sql);
  const { outline } = outlineOf(tree);
  if (outline === undefined) return undefined;
  const clause = readClause(tree, outline);
  const tables = clause.elements.filter(({ kind }) => kind === 'table').map(({ name }) => name);
  return {
    names: tables,
    defined: clause.elements.map(({ name }) => name),
    hasSettings: outline.settings !== undefined,
    take: (names, result) => takeTables(query, { clause, outline, names, result }),
  };
}

interface Taking {
  readonly clause: Clause;
  readonly outline: Outline;
  readonly names: readonly string[];
  readonly result: NamedResult | undefined;
}

function takeTables(
  query: readonly Piece[],
  { clause, outline, names, result }: Taking,
): readonly Included[] {
  const { mainStart, mainEnd } = outline;
  const needed = new Set([
    ...names.flatMap((name) => clause.needed(name)),
    ...(result === undefined ? [] : clause.neededIn(mainStart, mainEnd)),
  ]);
  const taken = clause.elements
    .filter((element) => needed.has(element))
    .map(({ name, kind, start, end }): Included => ({
      name,
      kind: kind === 'hidden' ? 'table' : kind,
      pieces: slicePieces(query, start, end),
    }));
  if (result === undefined) return taken;
  const { name, origin } = result;
  // With the comments after it, of which one can be the end of an optional part.
  const { cursor } = clause;
  const next = tokenAt({ cursor }, mainEnd);
  const after = next < cursor.length ? cursor.start(next) : Infinity;
  const main = slicePieces(query, mainStart, after);
  const pieces = [{ text: `${name} AS (\n`, origin }, ...main, { text: '\n)', origin }];
  return [...taken, { name, kind: 'table', pieces }];
}
