// The variants of a saved query: what decides them, and the query of each, bound and outlined.
import type { Path } from '../config/yaml-document.ts';
import type { CompiledParameter } from '../params/parameter.ts';
import { placeholderIfGiven } from '../params/type.ts';
import {
  expandTemplate,
  type Expansion,
  type Fragments,
  type Selection,
} from '../../sql/clickhouse/expand.ts';
import type { SqlFinding } from '../../sql/clickhouse/finding.ts';
import { outlineOf, withReadable, type Outline } from '../../sql/clickhouse/outline.ts';
import { authorOffset, bindPlaceholders, type BoundQuery } from '../../sql/clickhouse/placeholders.ts';
import { holdsFor } from '../../sql/clickhouse/part-condition.ts';
import type { Piece, Template } from '../../sql/clickhouse/template.ts';
import type { Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText } from '../../sql/clickhouse/tree/parse.ts';

/** The query as the file has it. */
export interface QuerySource {
  readonly template: Template;
  readonly fragments: Fragments;
  readonly parameters: ReadonlyMap<string, CompiledParameter>;
  /** The tables of the WITH clause that consumers may read; undefined: all. */
  readonly readable: readonly string[] | undefined;
}

/** A location in a file: `offset` is inside the string at `path` (UTF-16 code units). */
export interface QueryPlace {
  readonly path: Path;
  readonly offset: number;
}

/** One variant of a query. */
export interface VariantQuery {
  readonly selection: Selection;
  /** The name of the variant; '' if the query has only one. */
  readonly variant: string;
  /** The query before its parameters are bound. */
  readonly text: string;
  readonly bound: BoundQuery;
  /** It is that of the bound query, and has a fault if a form of it is not known. */
  readonly tree: Tree;
  /** Undefined if the query could not be parsed; `findings` has the reasons. */
  readonly outline: Outline | undefined;
  /** Located in `text`. */
  readonly findings: readonly SqlFinding[];
  /** Where an offset of `text` comes from. */
  readonly inText: (offset: number) => QueryPlace;
  /** Where an offset of the bound query comes from. */
  readonly inBound: (offset: number) => QueryPlace;
}

/** Expands and binds one variant. */
export function expandVariant(
  { template, fragments, parameters }: QuerySource,
  selection: Selection,
): { readonly bound: BoundQuery; readonly expansion: Expansion } {
  const expansion = expandTemplate(template, fragments, selection);
  const bound = bindPlaceholders(expansion.sql, (name, start) => {
    const parameter = parameters.get(name);
    if (parameter === undefined) return undefined;
    return expansion.isGivenAt(name, start) ? placeholderIfGiven(parameter.type) : parameter.placeholder;
  });
  return { bound, expansion };
}

/** Expands, binds and outlines one variant. */
export function bindVariant(source: QuerySource, selection: Selection): VariantQuery {
  const { template, readable } = source;
  const {
    bound,
    expansion: { sql: text, originOf },
  } = expandVariant(source, selection);
  const isBound = bound.findings.length === 0;
  const tree = parseSavedText(bound.sql, isBound ? bound.tokens : undefined);
  const { outline: whole, findings: unread } = isBound
    ? outlineOf(tree)
    : { outline: undefined, findings: [] };
  const outline = whole && withReadable(whole, readable);
  const inText = (offset: number): QueryPlace => {
    const { choice, offset: inside } = originOf(offset);
    const path = choice === undefined ? ['query'] : ['parameters', choice[0], 'choices', choice[1]];
    return { path, offset: inside };
  };
  return {
    selection,
    variant: variantName(template, selection),
    text,
    bound,
    tree,
    outline,
    findings: [
      ...bound.findings,
      ...unread.map((each) => ({ ...each, start: authorOffset(bound.uses, each.start) })),
    ],
    inText,
    inBound: (offset) => inText(authorOffset(bound.uses, offset)),
  };
}

/** `order=newest, with status, without path`: the choices that the variant uses, and the conditions that it depends on. */
export function variantName(template: Pick<Template, 'pieces'>, selection: Selection): string {
  return [...decisionsOf(template.pieces, selection)]
    .map(([name, decision]) => (decision.startsWith('=') ? `${name}${decision}` : `${decision} ${name}`))
    .join(', ');
}

/**
 * What decides the text of a variant, by parameter: `=value`, `with`, `with another` value than those that conditions name, or
 * `without`. Parameters in parts that are not there decide nothing.
 */
export function decisionsOf(
  pieces: readonly Piece[],
  selection: Selection,
  into: Map<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const { choices, given } = selection;
  for (const piece of pieces) {
    if (piece.kind === 'choice') into.set(piece.name, `=${(choices.get(piece.name) ?? []).join('+')}`);
    if (piece.kind !== 'part') continue;
    for (const { name, value } of piece.conditions) {
      const known = into.get(name);
      if (known?.startsWith('=') === true || known === OTHER) continue;
      const names = value === undefined ? undefined : choices.get(name)?.join('+');
      const isOther = value !== undefined && given.has(name);
      const plain = given.has(name) ? 'with' : 'without';
      into.set(name, names === undefined ? (isOther ? OTHER : plain) : `=${names}`);
    }
    if (piece.conditions.every((each) => holdsFor(each, selection)))
      decisionsOf(piece.pieces, selection, into);
  }
  return into;
}

const OTHER = 'with another';
