// Puts the values that an `include` passes on in place of the parameters of included tables.
import type { Parameter } from '../../config/generated/endpoint.ts';
import { didYouMean, nearest } from '../../core/nearest.ts';
import { declaredParameter } from '../../params/declared.ts';
import { compileParameter } from '../../params/parameter.ts';
import { readFragment } from '../../sql/fragment.ts';
import { tokenize } from '../../sql/lexer.ts';
import { quoteString } from '../../sql/literal.ts';
import { plainSpaces } from '../../sql/white-space.ts';
import type { Placed } from './part.ts';
import { slicePieces, textOf, type Origin, type Piece } from './pieces.ts';

/** What is in place of a parameter. */
export type Passed =
  /** A parameter of the including file. */
  | { readonly kind: 'reference'; readonly name: string; readonly origin: Origin }
  /** The parts of the query that it decides are always there. Its text has parameters of the included file, if it is the fragment of a choice. */
  | { readonly kind: 'constant'; readonly pieces: readonly Piece[] };

/** The pieces with what is passed in place of some parameters, and the names of the parameters that they then use. */
export function passParameters(
  given: readonly Piece[],
  passed: ReadonlyMap<string, Passed>,
): { readonly pieces: readonly Piece[]; readonly used: readonly string[] } {
  const pieces = withoutSettled(given, (name) => passed.get(name)?.kind === 'constant');
  const sql = textOf(pieces);
  const result: Piece[] = [];
  const used: string[] = [];
  let copied = 0;
  for (const { name, start, end } of usesIn(sql)) {
    const value = passed.get(name);
    if (value === undefined) {
      used.push(name);
      continue;
    }
    result.push(...slicePieces(pieces, copied, start));
    if (value.kind === 'reference') {
      result.push({ text: `@${value.name}`, origin: value.origin });
      used.push(value.name);
    } else {
      const inner = passParameters(value.pieces, passed);
      result.push(...inner.pieces);
      used.push(...inner.used);
    }
    copied = end;
  }
  return { pieces: [...result, ...slicePieces(pieces, copied, sql.length)], used };
}

/** `if @a and @b`, or `end`. */
const MARKER = /^(?:--|\/\*)\s*(?:if\s+(@\w+(?:\s+and\s+@\w+)*)|end)\s*(?:\*\/)?$/i;

/** The pieces without the conditions of optional parts on these parameters: a part without another condition is always there. */
function withoutSettled(pieces: readonly Piece[], isSettled: (name: string) => boolean): readonly Piece[] {
  const sql = textOf(pieces);
  const result: Piece[] = [];
  /** Of each part around: whether its comments are removed. */
  const open: boolean[] = [];
  let copied = 0;
  for (const { kind, start, end } of tokenize(sql)) {
    const comment = plainSpaces(sql.slice(start, end));
    const marker = kind === 'comment' ? MARKER.exec(comment) : null;
    if (marker === null) continue;
    const names = [...(marker[1] ?? '').matchAll(/@(\w+)/g)].map(([, name = '']) => name);
    const rest = names.filter((name) => !isSettled(name));
    const isEnd = marker[1] === undefined;
    const isRemoved = isEnd ? open.pop() === true : rest.length === 0;
    if (!isEnd) open.push(isRemoved);
    const [first] = slicePieces(pieces, start, end);
    if (first === undefined || (!isRemoved && rest.length === names.length)) continue;
    const condition = rest.map((name) => `@${name}`).join(' and ');
    const left = comment.startsWith('--') ? `-- if ${condition}` : `/* if ${condition} */`;
    result.push(...slicePieces(pieces, copied, start), { ...first, text: isRemoved ? ' ' : left });
    copied = end;
  }
  return [...result, ...slicePieces(pieces, copied, sql.length)];
}

interface Use {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Every `@name`, also in the comments that say when a part of the query is left out. */
function usesIn(sql: string): readonly Use[] {
  const tokens = tokenize(sql);
  return tokens.flatMap(({ kind, start, end }, index): readonly Use[] => {
    if (kind === 'comment')
      return isMarker(sql.slice(start, end)) ? usesInMarker(sql.slice(start, end), start) : [];
    const name = tokens[index + 1];
    if (kind !== '@' || name?.kind !== 'word') return [];
    return [{ name: sql.slice(name.start, name.end), start, end: name.end }];
  });
}

function isMarker(comment: string): boolean {
  return /^(?:--|\/\*)\s*if\s/i.test(plainSpaces(comment));
}

function usesInMarker(comment: string, at: number): readonly Use[] {
  return [...comment.matchAll(/@([A-Za-z_]\w*)/g)].map(({ 0: text, 1: name = '', index }) => ({
    name,
    start: at + index,
    end: at + index + text.length,
  }));
}

/**
 * A constant as SQL: a literal of the parameter's type, or the fragment of a choice with that name; or why the parameter does not
 * accept it.
 */
export function constantOf(
  name: string,
  { value: spec, document, path }: Placed<Parameter>,
  { value, origin }: { readonly value: string | number | boolean; readonly origin: Origin },
): readonly Piece[] | { readonly message: string; readonly hint?: string } {
  if (spec.choices !== undefined) {
    const { choices } = spec;
    const chosen =
      spec.multiple === true
        ? String(value)
            .split(',')
            .map((each) => each.trim())
        : [String(value)];
    const unknown = chosen.find((each) => !Object.hasOwn(choices, each));
    if (unknown !== undefined) {
      const hint = didYouMean(nearest(unknown, Object.keys(choices)));
      return { message: `has no choice ${unknown}`, ...(hint === undefined ? {} : { hint }) };
    }
    return chosen.flatMap((each, index) => {
      const fragment = fragmentPieces(choices[each] ?? '', { document, path: [...path, 'choices', each] });
      return index === 0 ? fragment : [{ text: ', ', origin }, ...fragment];
    });
  }
  const { default: _default, ...rest } = declaredParameter(spec);
  const { parameter } = compileParameter(name, { ...rest, required: true });
  if (parameter === undefined) return { message: 'is declared with errors' };
  const reading = parameter.read(value);
  if (reading.kind !== 'value') return { message: reading.message };
  const text = `CAST(${quoteString(reading.text ?? '')}, ${quoteString(parameter.placeholder)})`;
  return [{ text, origin }];
}

/** As in the variants of a query; a fragment with errors has findings in its own file. */
function fragmentPieces(text: string, place: Omit<Origin, 'offset'>): readonly Piece[] {
  const piece = (part: string, offset: number): Piece => ({ text: part, origin: { ...place, offset } });
  return readFragment(text).elements.flatMap(({ start, bodyEnd, end, hasOperators }, index) => [
    ...(index > 0 ? [piece(', ', start)] : []),
    ...(hasOperators ? [piece('(', start)] : []),
    piece(text.slice(start, bodyEnd), start),
    ...(hasOperators ? [piece(')', bodyEnd)] : []),
    piece(text.slice(bodyEnd, end), bodyEnd),
  ]);
}
