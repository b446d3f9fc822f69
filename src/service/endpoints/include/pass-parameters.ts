// Puts the values that an `include` passes on in place of the parameters of included tables.
import type { Parameter } from '../../config/generated/endpoint.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { declaredParameter } from '../../params/declared.ts';
import { compileParameter } from '../../params/parameter.ts';
import { readFragment } from '../../../sql/clickhouse/fragment.ts';
import { tokenize } from '../../../sql/clickhouse/lexer.ts';
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import { conditionsText, holdsFor, readMarker, type Sent } from '../../../sql/clickhouse/part-condition.ts';
import { plainSpaces } from '../../../sql/clickhouse/white-space.ts';
import type { Placed } from './part.ts';
import { slicePieces, textOf, type Origin, type Piece } from './pieces.ts';

/** What is in place of a parameter. */
export type Passed =
  /** A parameter of the including file. */
  | { readonly kind: 'reference'; readonly name: string; readonly origin: Origin }
  /** The parts of the query that it decides are always there, or never. Its text has parameters of the included file, if it is the fragment of a choice. */
  | {
      readonly kind: 'constant';
      readonly pieces: readonly Piece[];
      readonly value: string | number | boolean;
    };

/** The pieces with what is passed in place of some parameters, and the names of the parameters that they then use. */
export function passParameters(
  given: readonly Piece[],
  passed: ReadonlyMap<string, Passed>,
): { readonly pieces: readonly Piece[]; readonly used: readonly string[] } {
  const pieces = withoutSettled(given, sentBy(passed));
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

/** Returns the values that the constants send, as far as they decide the text. */
function sentBy(passed: ReadonlyMap<string, Passed>): Sent {
  const constants = [...passed].flatMap(([name, each]) =>
    each.kind === 'constant' ? [[name, each.value] as const] : [],
  );
  return {
    choices: new Map(constants.map(([name, value]) => [name, [String(value)]])),
    given: new Set(constants.flatMap(([name, value]) => (value === false ? [] : [name]))),
  };
}

interface OpenPart {
  /** It is true if its comments are removed. */
  readonly isPlain: boolean;
  /** It is never there, from this offset on. */
  readonly from: number | undefined;
}

/** The pieces with the conditions on these parameters decided: a part without another one is always there, or never. */
function withoutSettled(pieces: readonly Piece[], sent: Sent): readonly Piece[] {
  const sql = textOf(pieces);
  const result: Piece[] = [];
  const open: OpenPart[] = [];
  let copied = 0;
  const replace = (start: number, end: number, text: string): void => {
    const [first] = slicePieces(pieces, start, end);
    if (first !== undefined) result.push(...slicePieces(pieces, copied, start), { ...first, text });
    copied = end;
  };
  for (const { kind, start, end } of tokenize(sql)) {
    const marker = kind === 'comment' ? readMarker(sql.slice(start, end)) : undefined;
    const isAbsent = open.some(({ from }) => from !== undefined);
    if (marker?.kind === 'end') {
      const part = open.pop();
      if (part?.from !== undefined) replace(part.from, end, ' ');
      else if (part?.isPlain === true && !isAbsent) replace(start, end, ' ');
    } else if (marker !== undefined) {
      const settled = marker.conditions.filter(({ name }) => sent.choices.has(name));
      const isNever = settled.some((each) => !holdsFor(each, sent));
      const rest = marker.conditions.filter((each) => !settled.includes(each));
      open.push({ isPlain: rest.length === 0, from: isNever && !isAbsent ? start : undefined });
      if (isNever || isAbsent || settled.length === 0) continue;
      const text = conditionsText(rest);
      replace(start, end, rest.length === 0 ? ' ' : marker.isLine ? `-- ${text}` : `/* ${text} */`);
    }
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
