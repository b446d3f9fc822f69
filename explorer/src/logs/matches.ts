// Finds what the filter searches the message for, so that the rows can mark it.
import { partsOf } from '../../../src/sql/lql/parse.ts';
import type { Clause } from '../../../src/sql/lql/tree.ts';

/** Regular expressions that may take long in the browser, which has no RE2: a group that is repeated. */
const SLOW = /\)[*+{?]/;
const MAX_PATTERN = 200;

/** The words and patterns of the filter that are not negated; each finds all places. */
export function matchesOf(filter: string): readonly RegExp[] {
  return partsOf(filter).flatMap(({ clause }) => patternOf(clause) ?? []);
}

function patternOf(clause: Clause | undefined): RegExp | undefined {
  if (clause?.kind !== 'message' || clause.negated || clause.value.text === '') return undefined;
  const { text } = clause.value;
  if (clause.match === 'contains')
    return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'g');
  const [, flags = '', source = ''] = /^(?:\(\?([ims]+)\))?([^]*)$/.exec(text) ?? [];
  if (SLOW.test(source) || source.length > MAX_PATTERN) return undefined;
  try {
    return new RegExp(source, `g${flags}`);
  } catch {
    return undefined; // RE2 has syntax that JavaScript lacks
  }
}
