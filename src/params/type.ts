// Parses the ClickHouse types allowed for parameters: a row of the table in scalar.ts, or an array of one.
import { didYouMean, nearest } from '../core/nearest.ts';
import { scalarNamed, TYPE_NAMES, type ScalarType, type TypeFailure } from './scalar.ts';

/** A type and its canonical name, as written in endpoint files. */
export interface ParameterType {
  readonly name: string;
  readonly isArray: boolean;
  /** The type itself, or the element type of an array. */
  readonly scalar: ScalarType;
}

const HINTS = [...TYPE_NAMES, 'Array(String)'];
const HINTS_BY_NAME = new Map(HINTS.map((hint) => [hint.replace(/\(.*/, ''), hint]));

/**
 * Parses a type such as `UInt16`, `Decimal(10, 2)` or `Array(String)`. Names are case-sensitive, whitespace is
 * optional.
 */
export function parseParameterType(text: string): ParameterType | TypeFailure {
  const trimmed = text.trim();
  const inner = /^Array\s*\((.*)\)$/s.exec(trimmed)?.[1];
  const scalar = scalarNamed((inner ?? trimmed).trim());
  if (scalar === undefined) return unknownType(trimmed);
  if ('kind' in scalar) return scalar;
  const { name } = scalar;
  return inner === undefined
    ? { name, isArray: false, scalar }
    : { name: `Array(${name})`, isArray: true, scalar };
}

/** The type for `{name:Type}`: times in UTC, Nullable if the value may be null. */
export function placeholderType({ scalar, isArray }: ParameterType, nullable: boolean): string {
  const { engineName } = scalar;
  if (isArray) return `Array(${engineName})`;
  return nullable ? `Nullable(${engineName})` : engineName;
}

/**
 * A sample value of a declared type in ClickHouse's text format (unescaped), for statements that are described but never
 * run.
 */
export function sampleText(typeText: string): string {
  const type = parseParameterType(typeText);
  if ('kind' in type) return '';
  return type.isArray ? '[]' : type.scalar.sample;
}

/**
 * ClickHouse's text format of an array of canonical values: `['it''s','b']`. Only quotes are doubled; backslashes and
 * control characters are escaped later, as in every other parameter.
 */
export function arrayText({ isBare }: ScalarType, texts: readonly string[]): string {
  const printed = isBare ? texts : texts.map((text) => `'${text.replaceAll("'", "''")}'`);
  return `[${printed.join(',')}]`;
}

function unknownType(text: string): TypeFailure {
  const shown = text.slice(0, 100);
  if (/^Identifier\b/i.test(text)) {
    const message = 'Identifier is not allowed: it would insert caller input into the query itself';
    return {
      kind: 'failure',
      message,
      hint: 'Name each table or column in the query, and select one by a String parameter',
    };
  }
  const guess = HINTS_BY_NAME.get(nearest(text.replace(/\W.*/s, ''), HINTS_BY_NAME.keys()) ?? '');
  const hint = didYouMean(guess) ?? `The types are ${HINTS.join(', ')}`;
  return { kind: 'failure', message: `${shown} is not a supported parameter type`, hint };
}
