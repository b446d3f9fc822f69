// Rules by name for paths inside a value, and RE2 expressions that match these paths.
import type { ColumnAction, ColumnRules } from '../../redact/columns.ts';

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

/** An RE2 expression for these paths and what is below them. */
export function atOrBelow(paths: readonly string[]): string {
  return `(?i)^(?:${paths.map(pattern).join('|')})(?:[.]|$)`;
}

/** An RE2 expression for these paths. */
export function exactly(paths: readonly string[]): string {
  return `(?i)^(?:${paths.map(pattern).join('|')})$`;
}

/** Whether a name matches one of these expressions, as the engine decides it. */
export function matchesPath(name: string, expression: string): boolean {
  return new RegExp(expression.replace('(?i)', '').replaceAll(String.raw`\x{`, String.raw`\u{`), 'iu').test(
    name,
  );
}

/** In any case of letters and in any Unicode form. The path is in NFC. */
function pattern(path: string): string {
  return Array.from(path, characterPattern).join('');
}

function characterPattern(character: string): string {
  if (/^\w$/.test(character)) return character;
  const decomposed = character.normalize('NFD');
  const composed = escaped(character);
  return decomposed === character ? composed : `(?:${composed}|${Array.from(decomposed, escaped).join('')})`;
}

function escaped(character: string): string {
  return /^\w$/.test(character) ? character : String.raw`\x{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
