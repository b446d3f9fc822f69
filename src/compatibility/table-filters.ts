// Which tables the WITH clause of an endpoint reads, and the conditions `column = @parameter` that restrict each read.
import type { Endpoint } from '../catalog/endpoint.ts';
import { identifierName } from '../sql/literal.ts';
import { aliasesIn } from './aliases.ts';
import type { Filter } from './filters.ts';
import { readsIn, type Read, type SourceAlias } from './reads.ts';
import { createReadTree } from './sql-tree.ts';
import { isTable } from '../sql/outline.ts';

/** `column = @parameter`, in a WHERE or PREWHERE of the SELECT that reads the table. */
export interface TableFilter {
  readonly column: string;
  readonly parameter: string;
}

/** One SELECT from a table: it returns no row that fails one of the filters. */
export interface TableRead {
  /** `database.table`, or `table`; a table function with its arguments. */
  readonly table: string;
  /** Empty if no condition has that form. */
  readonly filters: readonly TableFilter[];
}

/** Every read of the WITH clause, which is all that consumer queries of the endpoint can read. */
export function tableReads({ query, outline }: Pick<Endpoint, 'query' | 'outline'>): readonly TableRead[] {
  const readTree = createReadTree(query);
  const tables = new Set(outline.elements.filter(isTable).map(({ name }) => name));
  return outline.elements.flatMap((element) => {
    const nodes = readTree(element.start, element.end);
    const aliases = aliasesIn(nodes);
    return readsIn(isTable(element) ? nodes.slice(-1) : nodes, { aliases, tables }).flatMap(readsOf);
  });
}

/** The parameters that some read of the WITH clause is filtered by. */
export function filterParameters(endpoint: Pick<Endpoint, 'query' | 'outline'>): readonly string[] {
  const all = tableReads(endpoint).flatMap(({ filters }) => filters.map(({ parameter }) => parameter));
  return [...new Set(all)].toSorted();
}

function readsOf({ sources, conditions, readsTables }: Read): readonly TableRead[] {
  const isSole = sources.length === 1 && !readsTables;
  return sources.map((source) => ({
    table: source.source,
    filters: conditions.flatMap((condition) => equalityOn(condition, source, isSole) ?? []),
  }));
}

const NAME = '(?:[A-Za-z_][A-Za-z0-9_]*|`[^`]+`|"[^"]+")';
const PATH = `(${NAME}(?: \\. ${NAME})*)`;
const EQUALITY = new RegExp(`^(?:${PATH} ==? @([A-Za-z0-9_]+)|@([A-Za-z0-9_]+) ==? ${PATH})$`);

/**
 * The condition as a filter of `source`: its column must be qualified by the source's name or alias, unless that is the
 * only source, and must not be the alias of an expression.
 */
function equalityOn(
  [condition, ...meanings]: Filter,
  source: SourceAlias,
  isSole: boolean,
): TableFilter | undefined {
  const [, left, after, before, right] = EQUALITY.exec(condition) ?? [];
  const parameter = after ?? before;
  const path = (left ?? right)?.split(' . ').map(identifierName);
  const column = path?.at(-1);
  if (parameter === undefined || path === undefined || column === undefined) return undefined;
  const qualifier = path.slice(0, -1).join('.');
  const qualifiers = [source.alias, source.source, source.source.split('.').at(-1)];
  if (qualifier === '' ? !isSole : !qualifiers.includes(qualifier)) return undefined;
  const isPlain = meanings.every((meaning) => isOwnName(meaning, qualifier, column));
  return isPlain ? { column, parameter } : undefined;
}

/** Aliases that change nothing: the source's, and that of the column itself (`e.project AS project`). */
function isOwnName(meaning: string, qualifier: string, column: string): boolean {
  const [name = '', text = ''] = meaning.split(' = ', 2);
  return name === column ? text === column || text === `${qualifier} . ${column}` : name === qualifier;
}
