// Rules by name for paths inside a value, and the conditions and RE2 expressions that find these paths.
import type { ColumnAction, ColumnRules } from '../../redact/columns.ts';
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import { formsOf, SEQUENCES } from './unicode-forms.ts';

/** A rule and the path that it names, from the value around it. */
export interface PathRule {
  readonly path: string;
  readonly action: ColumnAction;
}

/** The rules inside a value. */
export function pathRules(rules: ColumnRules | undefined, prefix = ''): readonly PathRule[] {
  return [...(rules?.byName ?? [])].flatMap(([name, below]): readonly PathRule[] => {
    const path = `${prefix}${name}`;
    if (below.action !== undefined) return [{ path, action: below.action }];
    return pathRules(below, `${path}.`);
  });
}

/** Paths above those that rules name, `a` and `a.b` of `a.b.c`, with the rules below each. */
export function pathsAbove(
  rules: ColumnRules | undefined,
  prefix = '',
): readonly (readonly [path: string, below: ColumnRules])[] {
  return [...(rules?.byName ?? [])].flatMap(([name, below]) => {
    if (below.action !== undefined) return [];
    const path = `${prefix}${name}`;
    return [[path, below] as const, ...pathsAbove(below, `${path}.`)];
  });
}

/** Paths, with what is below them or without. */
export interface PathSet {
  readonly paths: readonly string[];
  /** What follows a path, as an RE2 expression. */
  readonly end: string;
}

/** These paths and what is below them. */
export function atOrBelow(paths: readonly string[]): PathSet {
  return { paths, end: '(?:[.]|$)' };
}

/** These paths alone. */
export function exactly(paths: readonly string[]): PathSet {
  return { paths, end: '$' };
}

/** A condition: whether a name is in the set, in any case of letters and in any Unicode form. */
export function isIn(name: string, set: PathSet): string {
  if (isAscii(set)) return `match(${name}, ${quoteString(storedExpression(set))})`;
  return `match(normalizeUTF8NFD(toValidUTF8(${name})), ${quoteString(expressionOf(set, decomposed))})`;
}

/** A condition: whether `storedExpression` does not match a name that is in the set. Undefined if there is no such name. */
export function isMissed(name: string, set: PathSet): string | undefined {
  if (isAscii(set)) return undefined;
  return `(${isIn(name, set)} AND NOT match(${name}, ${quoteString(storedExpression(set))}))`;
}

/** An RE2 expression for names as they are stored. */
export function storedExpression(set: PathSet): string {
  return expressionOf(set, inAnyForm);
}

/** Returns whether a name is in the set, as the engine decides it. */
export function hasPath(set: PathSet, name: string): boolean {
  const expression = expressionOf(set, decomposed)
    .replace('(?i)', '')
    .replaceAll(String.raw`\x{`, String.raw`\u{`);
  return new RegExp(expression, 'iu').test(name.normalize('NFD'));
}

function isAscii({ paths }: PathSet): boolean {
  return !/[^\0-\x7f]/.test(paths.join(''));
}

function expressionOf({ paths, end }: PathSet, pattern: (path: string) => string): string {
  return `(?i)^(?:${paths.map(pattern).join('|')})${end}`;
}

/** For names in NFD. */
function decomposed(path: string): string {
  return escaped(path.normalize('NFD'));
}

function inAnyForm(path: string): string {
  return Array.from(path.normalize('NFD').matchAll(SEQUENCES), ([sequence]) => {
    const forms = formsOf(sequence).map(escaped);
    return forms.length === 1 ? forms[0] : `(?:${forms.join('|')})`;
  }).join('');
}

function escaped(text: string): string {
  return text.replaceAll(
    /\W/gsu,
    (character) => String.raw`\x{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
