// What is known about the rows of a relation with respect to one parameter.
import type { NodeId } from './nodes.ts';

/**
 * A column, or a part of one (tuple element, JSON path, Map key), of a node: `id.name.function:part`, by `refOfColumn` and
 * `partOfRef`, which escape names. In a set of keys, `id.*` and `id.name.*` mean everything inside.
 */
export type Ref = string;

/** The column of a node. */
export function refOfColumn(source: NodeId, name: string): Ref {
  return `${source}.${escaped(name)}`;
}

/** What a function returns for a part of a column; other functions and other parts are other refs. */
export function partOfRef(ref: Ref, name: string, parts: readonly string[]): Ref {
  return `${ref}.${name}:${parts.map(escaped).join(',')}`;
}

/** All columns of a node, in a set of keys. */
export function allOf(source: NodeId): Ref {
  return `${source}.*`;
}

/** All parts of a column, in a set of keys. */
export function partsOf(ref: Ref): Ref {
  return `${ref}.*`;
}

function escaped(name: string): string {
  return name.replaceAll(/[%.*?:,]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}

/** A source: a table or a table function in FROM, a dictionary, or the table of `IN table`, by the id of its node. */
export interface SourceFacts {
  /**
   * Columns of the relation, or of an outer query, such that filtering its rows by `column = parameter` leaves only rows
   * of the source that belong to the parameter any influence.
   */
  readonly keys: ReadonlySet<Ref>;
  /** Whether only rows that belong to the parameter have any influence; `keys` is then without meaning. */
  readonly isConfined: boolean;
}

export interface Facts {
  /** Columns that equal the parameter in every row. */
  readonly equal: ReadonlySet<Ref>;
  readonly sources: ReadonlyMap<NodeId, SourceFacts>;
}

export const NO_FACTS: Facts = { equal: new Set(), sources: new Map() };

const CONFINED: SourceFacts = { keys: new Set(), isConfined: true };

/** Whether a set of keys has a column, itself or as a part of `….*`. */
export function hasKey(keys: ReadonlySet<Ref>, ref: Ref): boolean {
  if (keys.has(ref)) return true;
  for (let at = ref.indexOf('.'); at >= 0; at = ref.indexOf('.', at + 1)) {
    if (keys.has(`${ref.slice(0, at)}.*`)) return true;
  }
  return false;
}

/** The keys that both sets have. */
function sharedKeys(a: ReadonlySet<Ref>, b: ReadonlySet<Ref>): ReadonlySet<Ref> {
  return new Set([...[...a].filter((ref) => hasKey(b, ref)), ...[...b].filter((ref) => hasKey(a, ref))]);
}

/** The facts about rows that each satisfy one of the alternatives; `undefined` is one that no row satisfies. */
export function eitherOf(alternatives: readonly (Facts | undefined)[]): Facts | undefined {
  const [first, ...rest] = alternatives.filter((each) => each !== undefined);
  if (first === undefined) return undefined;
  return rest.reduce<Facts>((facts, other) => {
    const equal = new Set([...facts.equal].filter((ref) => other.equal.has(ref)));
    return { equal, sources: mergeSources(facts.sources, other.sources) };
  }, first);
}

/** Sources of two relations or places; one that occurs in both is confined only if it is in both. */
export function mergeSources(a: Facts['sources'], b: Facts['sources']): Facts['sources'] {
  const merged = new Map(a);
  for (const [id, source] of b) {
    const other = merged.get(id);
    if (other === undefined || other.isConfined) merged.set(id, source);
    else if (!source.isConfined)
      merged.set(id, { isConfined: false, keys: sharedKeys(other.keys, source.keys) });
  }
  return merged;
}

/** The facts about combinations of rows of both. */
export function together(a: Facts, b: Facts): Facts {
  return {
    equal: new Set([...a.equal, ...b.equal]),
    sources: mergeSources(a.sources, b.sources),
  };
}

/** Every row has the parameter in this column. */
export function bind(facts: Facts, ref: Ref): Facts {
  const sources = new Map(facts.sources);
  for (const [id, source] of sources) {
    if (!source.isConfined && hasKey(source.keys, ref)) sources.set(id, CONFINED);
  }
  return { equal: new Set([...facts.equal, ref]), sources };
}

/** Both columns are equal in every row. */
export function link(facts: Facts, a: Ref, b: Ref): Facts {
  return mapKeys(facts, (keys) => {
    const [hasA, hasB] = [hasKey(keys, a), hasKey(keys, b)];
    if (hasA === hasB) return keys;
    return new Set([...keys, hasA ? b : a]);
  });
}

/** Replaces the keys of each source that is not confined. */
export function mapKeys(
  facts: Facts,
  change: (keys: ReadonlySet<Ref>, id: NodeId) => ReadonlySet<Ref>,
): Facts {
  const sources = new Map(facts.sources);
  for (const [id, source] of sources) {
    if (!source.isConfined) sources.set(id, { isConfined: false, keys: change(source.keys, id) });
  }
  return { equal: facts.equal, sources };
}

/** No source is confined, whatever is filtered. */
export function openAll({ equal, sources }: Facts): Facts {
  return {
    equal,
    sources: new Map([...sources.keys()].map((id) => [id, { keys: new Set(), isConfined: false }])),
  };
}

/** Adds sources of subqueries and dictionaries: they are confined if a key of theirs equals the parameter. */
export function addSources(facts: Facts, added: Facts['sources']): Facts {
  const settled = new Map(added);
  for (const [id, source] of settled) {
    if (!source.isConfined && [...facts.equal].some((ref) => hasKey(source.keys, ref)))
      settled.set(id, CONFINED);
  }
  return { equal: facts.equal, sources: mergeSources(facts.sources, settled) };
}

/** The keys among `kept`, those of outer queries, and nothing else. */
export function restrictKeys(
  keys: ReadonlySet<Ref>,
  kept: readonly Ref[],
  isLocal: (ref: Ref) => boolean,
): ReadonlySet<Ref> {
  return new Set([...[...keys].filter((ref) => !isLocal(ref)), ...kept.filter((ref) => hasKey(keys, ref))]);
}
