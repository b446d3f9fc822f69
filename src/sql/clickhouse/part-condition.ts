// The comments of optional parts: `if @a and not @b and @c = day`, and `end`.
import { plainSpaces, trimSpaces } from './white-space.ts';

/** It holds if a parameter is given, or has a value. */
export interface PartCondition {
  readonly name: string;
  readonly isNot: boolean;
  /** Undefined: whether it is given. */
  readonly value: string | undefined;
}

const TERM = String.raw`(?:not\s+)?@[A-Za-z_]\w*(?:\s*=\s*(?:[\w.-]+|'[^'\\\n,]*'))?`;
const CONDITION = new RegExp(String.raw`^if\s+${TERM}(?:\s+and\s+${TERM})*$`, 'i');
const TERMS = new RegExp(TERM, 'gi');
const PARTS_OF_TERM = /^(not\s+)?@(\w+)(?:\s*=\s*'?([^']*?)'?)?$/i;
const MAX_LENGTH = 2000;

/** A comment that begins or ends a part. */
export type PartMarker =
  | { readonly kind: 'if'; readonly conditions: readonly PartCondition[]; readonly isLine: boolean }
  | { readonly kind: 'end' };

/** Undefined if a comment is none. Linear in the length of the text. */
export function readMarker(comment: string): PartMarker | undefined {
  const content = markerText(comment);
  if (content === undefined || content.length > MAX_LENGTH) return undefined;
  if (/^end$/i.test(content)) return { kind: 'end' };
  if (!CONDITION.test(content)) return undefined;
  const conditions = (content.match(TERMS) ?? []).map((term): PartCondition => {
    const [, not, name = '', value] = PARTS_OF_TERM.exec(term) ?? [];
    return { name, isNot: not !== undefined, value };
  });
  return { kind: 'if', conditions, isLine: comment.startsWith('--') };
}

/** Returns the text of a comment of one of the two forms. */
export function markerText(comment: string): string | undefined {
  const isBlock = comment.startsWith('/*');
  if (!isBlock && !comment.startsWith('--')) return undefined;
  return trimSpaces(plainSpaces(comment.slice(2, isBlock ? -2 : undefined)));
}

/** Writes them as the comment that begins a part has them. */
export function conditionsText(conditions: readonly PartCondition[]): string {
  return `if ${conditions.map(conditionText).join(' and ')}`;
}

/** One of them. */
export function conditionText({ name, isNot, value }: PartCondition): string {
  const compared = value === undefined ? '' : ` = ${/^[\w.-]+$/.test(value) ? value : `'${value}'`}`;
  return `${isNot ? 'not ' : ''}@${name}${compared}`;
}

/** The parameters that are certain to be given where the conditions hold. */
export function givenIn(conditions: readonly PartCondition[]): readonly string[] {
  return conditions.flatMap(({ name, isNot }) => (isNot ? [] : [name]));
}

/** A call sends these values, as far as they decide the text of a query. */
export interface Sent {
  /** The names of each choice, and the value of a parameter that a condition compares with it. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
  /** The parameters that are given. */
  readonly given: ReadonlySet<string>;
}

export function holdsFor({ name, isNot, value }: PartCondition, { choices, given }: Sent): boolean {
  const isTrue = value === undefined ? given.has(name) : choices.get(name)?.includes(value) === true;
  return isTrue !== isNot;
}
