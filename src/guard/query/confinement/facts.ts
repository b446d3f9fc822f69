// What is known about the rows of a relation with respect to one parameter.
import type { NodeId } from '../tree/nodes.ts';

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
  return name.replaceAll(/[%.*?:,=]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}

/** A source: a table or a table function in FROM, a dictionary, or the table of `IN table`, by the id of its node. */
export interface SourceFacts {
  /**
   * Columns of the relation, or of an outer query, such that filtering its rows by `column = parameter` leaves only rows
   * of the source that belong to the parameter any influence.
   */
  readonly keys: ReadonlySet<Ref>;
  /** It is true if only rows that belong to the parameter have any influence; `keys` is then without meaning. */
  readonly isConfined: boolean;
}

export interface Facts {
  /** Columns that equal the parameter in every row. */
  readonly equal: ReadonlySet<Ref>;
  /** Pairs of columns that are equal to each other in every row, as `a=b`. */
  readonly links?: ReadonlySet<string> | undefined;
  readonly sources: ReadonlyMap<NodeId, SourceFacts>;
}

export const NO_FACTS: Facts = { equal: new Set(), sources: new Map() };

const CONFINED: SourceFacts = { keys: new Set(), isConfined: true };

/** Returns whether a set of keys has a column, itself or as a part of `….*`. */
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
    const links = new Set([...(facts.links ?? [])].filter((pair) => other.links?.has(pair) === true));
    return { equal, links, sources: mergeSources(facts.sources, other.sources) };
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
    links: new Set([...(a.links ?? []), ...(b.links ?? [])]),
    sources: mergeSources(a.sources, b.sources),
  };
}

/** Every row has the parameter in this column, and in those that are equal to it. */
export function bind(facts: Facts, ref: Ref): Facts {
  const refs = classOf(facts.links, ref);
  const sources = new Map(facts.sources);
  for (const [id, source] of sources) {
    if (!source.isConfined && refs.some((each) => hasKey(source.keys, each))) sources.set(id, CONFINED);
  }
  return { equal: new Set([...facts.equal, ...refs]), links: facts.links, sources };
}

/** Both columns are equal in every row. */
export function link(facts: Facts, a: Ref, b: Ref): Facts {
  const links = new Set([...(facts.links ?? []), a < b ? `${a}=${b}` : `${b}=${a}`]);
  if (links.size === facts.links?.size) return facts;
  const refs = classOf(links, a);
  const linked = mapKeys({ ...facts, links }, (keys) =>
    refs.some((ref) => hasKey(keys, ref)) ? new Set([...keys, ...refs]) : keys,
  );
  return refs.some((ref) => facts.equal.has(ref)) ? bind(linked, a) : linked;
}

/** Sets of columns that are equal to each other in every row. */
export function classesOf({ links }: Facts): readonly (readonly Ref[])[] {
  const classes: (readonly Ref[])[] = [];
  const known = new Set<Ref>();
  for (const ref of [...(links ?? [])].flatMap((pair) => pair.split('='))) {
    if (known.has(ref)) continue;
    const refs = classOf(links, ref);
    for (const each of refs) known.add(each);
    classes.push(refs);
  }
  return classes;
}

/** The columns that are equal to one in every row, itself included. */
function classOf(links: Facts['links'], ref: Ref): readonly Ref[] {
  const found = new Set([ref]);
  const pairs = [...(links ?? [])].map((pair) => pair.split('='));
  for (const each of found) {
    for (const [a = '', b = ''] of pairs) {
      if (a === each) found.add(b); // visited later
      if (b === each) found.add(a);
    }
  }
  return [...found];
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
  return { ...facts, sources };
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
  return { ...facts, sources: mergeSources(facts.sources, settled) };
}

/** The keys among `kept`, those of outer queries, and nothing else. */
export function restrictKeys(
  keys: ReadonlySet<Ref>,
  kept: readonly Ref[],
  isLocal: (ref: Ref) => boolean,
): ReadonlySet<Ref> {
  return new Set([...[...keys].filter((ref) => !isLocal(ref)), ...kept.filter((ref) => hasKey(keys, ref))]);
}
