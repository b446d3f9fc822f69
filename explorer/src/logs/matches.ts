// What the filter searches the message for, to mark it in the rows.
import { clausesOf, type LqlClause } from './lql-edit.ts';

/** Regular expressions that may take long in the browser, which has no RE2: a group that is repeated. */
const SLOW = /\)[*+{?]/;
const MAX_PATTERN = 200;

/** The words and patterns of the filter that are not negated; each finds all places. */
export function matchesOf(filter: string): readonly RegExp[] {
  return clausesOf(filter).flatMap((clause) => patternOf(clause) ?? []);
}

function patternOf({ kind, isNegated, operator, value }: LqlClause): RegExp | undefined {
  if (kind !== 'message' || isNegated || value === undefined || value.text === '') return undefined;
  const { text } = value;
  if (operator !== '~') return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'g');
  const [, flags = '', source = ''] = /^(?:\(\?([ims]+)\))?([^]*)$/.exec(text) ?? [];
  if (SLOW.test(source) || source.length > MAX_PATTERN) return undefined;
  try {
    return new RegExp(source, `g${flags}`);
  } catch {
    return undefined; // RE2 has syntax that JavaScript lacks
  }
}
