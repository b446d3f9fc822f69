// Expands the template of a query to one variant: choices replaced by their fragments, optional parts kept or removed.
import type { Fragment } from './fragment.ts';
import { givenIn, holdsFor, type Sent } from './part-condition.ts';
import type { Piece, Template } from './template.ts';

/** A variant consists of these; the names of a choice are in the order of their fragments. */
export type Selection = Sent;

/** Where a piece of a variant comes from. */
export interface Origin {
  /** Undefined: the query; otherwise a value of a choice. */
  readonly choice: readonly [name: string, value: string] | undefined;
  /** Inside that string (UTF-16 code units). */
  readonly offset: number;
}

/** The text of a variant. */
export interface Expansion {
  readonly sql: string;
  readonly originOf: (offset: number) => Origin;
  /** Returns whether a use of a parameter is in an optional part that is there only if the parameter is given. */
  readonly isGivenAt: (name: string, offset: number) => boolean;
}

/** The fragments by choice and name. */
export type Fragments = ReadonlyMap<string, ReadonlyMap<string, Fragment>>;

interface Segment extends Origin {
  readonly start: number;
  /** It is true if each character comes from the following one there. */
  readonly isVerbatim: boolean;
}

interface GivenRange {
  readonly start: number;
  readonly end: number;
  readonly names: readonly string[];
}

/** Expands a template without findings. Nothing but text of the file gets into the query: unknown names are dropped. */
export function expandTemplate(
  { sql, pieces }: Template,
  fragments: Fragments,
  selection: Selection,
): Expansion {
  const segments: Segment[] = [];
  const ranges: GivenRange[] = [];
  let text = '';
  const add = (part: string, origin: Origin, isVerbatim: boolean): void => {
    segments.push({ ...origin, start: text.length, isVerbatim });
    text += part;
  };
  const addChoice = (name: string, start: number): void => {
    for (const [index, value] of (selection.choices.get(name) ?? []).entries()) {
      if (index > 0) add(', ', { choice: undefined, offset: start }, false);
      const fragment = fragments.get(name)?.get(value);
      if (fragment !== undefined) addFragment(fragment, [name, value], add);
    }
  };
  const addPieces = (list: readonly Piece[]): void => {
    for (const piece of list) {
      const { start, end } = piece;
      if (piece.kind === 'text') add(sql.slice(start, end), { choice: undefined, offset: start }, true);
      else if (piece.kind === 'choice') addChoice(piece.name, start);
      else {
        // The comments go too: a space separates the tokens before and after.
        add(' ', { choice: undefined, offset: start }, false);
        if (!piece.conditions.every((each) => holdsFor(each, selection))) continue;
        const from = text.length;
        addPieces(piece.pieces);
        ranges.push({ start: from, end: text.length, names: givenIn(piece.conditions) });
        add(' ', { choice: undefined, offset: end }, false);
      }
    }
  };
  addPieces(pieces);
  return {
    sql: text,
    originOf: (offset) => originAt(segments, offset),
    isGivenAt: (name, offset) =>
      ranges.some(({ start, end, names }) => offset >= start && offset < end && names.includes(name)),
  };
}

/** Each element between its first and its last token: a comment after it would hide what follows. */
function addFragment(
  { text, elements }: Fragment,
  choice: readonly [string, string],
  add: (part: string, origin: Origin, isVerbatim: boolean) => void,
): void {
  for (const [index, { start, bodyEnd, end, hasOperators }] of elements.entries()) {
    if (index > 0) add(', ', { choice, offset: start }, false);
    if (hasOperators) add('(', { choice, offset: start }, false);
    add(text.slice(start, bodyEnd), { choice, offset: start }, true);
    if (hasOperators) add(')', { choice, offset: bodyEnd }, false);
    if (end > bodyEnd) add(text.slice(bodyEnd, end), { choice, offset: bodyEnd }, true);
  }
}

function originAt(segments: readonly Segment[], offset: number): Origin {
  let [low, high] = [0, segments.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((segments[middle]?.start ?? Infinity) <= offset) low = middle;
    else high = middle;
  }
  const segment = segments[low];
  if (segment === undefined) return { choice: undefined, offset };
  const { choice, offset: from, start, isVerbatim } = segment;
  return { choice, offset: isVerbatim ? from + offset - start : from };
}
