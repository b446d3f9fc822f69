// States of aggregate functions are the engine's own bytes: read from text that a consumer wrote they corrupt its memory. The
// engine converts text to the type of a state where nobody asked for it, so a query either has states or such a place.
import type { TokenKind } from '../sql/lexer.ts';
import type { Complaint } from './consumer-text.ts';
import type { Scan } from './scan.ts';
import { CONSTANTS } from './words.ts';

/** Whether a function of that name gives states: the combinators State and those around it, and bitmaps. */
export function makesStates(functionName: string): boolean {
  return /state|^bitmapbuild$/i.test(functionName);
}

/** Where the engine would convert text to a state, for messages. */
export type StateConversion = 'IN' | 'INTERPOLATE';

const PLACES: Readonly<Record<StateConversion, string>> = {
  IN: 'IN takes only a list of strings and numbers',
  INTERPOLATE: 'INTERPOLATE takes no expressions',
};

export function stateComplaint(place: StateConversion): Complaint {
  return {
    code: 'sandbox.type_refused',
    message: `In a query with states of aggregate functions, ${PLACES[place]}`,
    hint: 'Use a join in place of IN, or leave out functions that give states, such as uniqState and bitmapBuild.',
  };
}

/** About a column of a result: a state is no value that can be written, in any format. */
export function stateInResult(column: string): Complaint {
  return {
    code: 'sandbox.type_refused',
    message: `The column ${column.slice(0, 60)} is the state of an aggregate function, which cannot be returned`,
    hint: 'Finish it with finalizeAggregation, or with the combinator Merge, as in uniqMerge(state).',
  };
}

const PLAIN: ReadonlySet<TokenKind | undefined> = new Set(['(', ')', ',', '-', 'string', 'number']);

/** Whether the tokens from `start` up to the scan are a list of literals, which the engine converts to no state. */
export function isLiteralList(scan: Scan, start: number): boolean {
  for (let ahead = start - scan.at(); ahead < 0; ahead++) {
    if (!PLAIN.has(scan.kind(ahead)) && !CONSTANTS.has(scan.word(ahead) ?? '')) return false;
  }
  return true;
}

/** Refuses the first place where the engine would convert text to a state, if the query has any states. */
export function checkStates(scan: Scan): void {
  const { conversions, hasStates } = scan.findings;
  const [first] = conversions;
  if (first === undefined || (!hasStates && !readsStates(scan))) return;
  scan.refuse(stateComplaint(first.place), first.at - scan.at());
}

/** Whether one of the tables that are read has columns with states. */
export function readsStates({ findings, surface }: Scan): boolean {
  return [...findings.tables].some((name) => surface.stateTables.has(name));
}
