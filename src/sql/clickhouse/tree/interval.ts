// Intervals whose unit is inside their string: INTERVAL '1 day'.
import { significantTokens } from '../cursor.ts';

/** The unit, as it is written; undefined if the text is no interval. The engine lexes it: it may have comments and any white space. */
export function unitInString(text: string): string | undefined {
  const tokens = significantTokens(text);
  const last = tokens.pop();
  const isInterval = tokens.every(({ kind }) => kind === 'number' || kind === '-' || kind === '+');
  return last?.kind === 'word' && isInterval ? text.slice(last.start, last.end) : undefined;
}
