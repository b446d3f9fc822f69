// Puts the values that an `include` passes on in place of the parameters of included tables.
import type { Parameter } from '../../config/generated/endpoint.ts';
import { declaredParameter } from '../../params/declared.ts';
import { compileParameter } from '../../params/parameter.ts';
import { tokenize } from '../../sql/lexer.ts';
import { quoteString } from '../../sql/literal.ts';
import { slicePieces, textOf, type Origin, type Piece } from './pieces.ts';

/** Text in place of a parameter, from the including file. */
export interface Passed {
  readonly text: string;
  readonly origin: Origin;
}

/** The pieces with other text for some parameters, and the names of the parameters that they then use. */
export function passParameters(
  pieces: readonly Piece[],
  passed: ReadonlyMap<string, Passed>,
): { readonly pieces: readonly Piece[]; readonly used: readonly string[] } {
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
    result.push(...slicePieces(pieces, copied, start), { text: value.text, origin: value.origin });
    if (value.text.startsWith('@')) used.push(value.text.slice(1));
    copied = end;
  }
  return { pieces: [...result, ...slicePieces(pieces, copied, sql.length)], used };
}

/** The parameters that decide which parts of the query are there. */
export function decidingParameters(pieces: readonly Piece[]): ReadonlySet<string> {
  return new Set(usesIn(textOf(pieces)).flatMap(({ name, isDeciding }) => (isDeciding ? [name] : [])));
}

interface Use {
  readonly name: string;
  /** In the comment that says when a part is there. */
  readonly isDeciding: boolean;
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
    return [{ name: sql.slice(name.start, name.end), isDeciding: false, start, end: name.end }];
  });
}

function isMarker(comment: string): boolean {
  return /^(?:--|\/\*)\s*if\s/.test(comment);
}

function usesInMarker(comment: string, at: number): readonly Use[] {
  return [...comment.matchAll(/@([A-Za-z_]\w*)/g)].map(({ 0: text, 1: name = '', index }) => ({
    name,
    isDeciding: true,
    start: at + index,
    end: at + index + text.length,
  }));
}

/** A constant as SQL of the parameter's type, or why the parameter does not accept it. */
export function constantOf(
  name: string,
  spec: Parameter,
  value: string | number | boolean,
): { readonly sql: string } | { readonly message: string } {
  if (spec.choices !== undefined)
    return { message: 'is a choice: a constant cannot be passed on, only a choice of this file' };
  const { default: _default, ...rest } = declaredParameter(spec);
  const { parameter } = compileParameter(name, { ...rest, required: true });
  if (parameter === undefined) return { message: 'is declared with errors' };
  const reading = parameter.read(value);
  if (reading.kind !== 'value') return { message: reading.message };
  return { sql: `CAST(${quoteString(reading.text ?? '')}, ${quoteString(parameter.placeholder)})` };
}
