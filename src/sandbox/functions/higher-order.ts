// Functions that take a lambda. The engine also accepts the name of a function in its place and calls that function, which no
// check of calls sees: `arrayMap(file, […])`. `test/sandbox/function-references.test.ts` finds them in the engine.
import type { Violation } from '../lexed-query.ts';

/** Names in lower case. */
const HIGHER_ORDER: ReadonlySet<string> = new Set(
  `arrayall arrayavg arraybottomk arraycompact arraycount arraycumsum arraycumsumnonnegative arraydifference arrayexists
  arrayfill arrayfilter arrayfirst arrayfirstindex arrayfirstornull arrayfold arraylast arraylastindex arraylastornull
  arraymap arraymax arraymin arraypartialreversesort arraypartialshuffle arraypartialsort arrayproduct arrayreversefill
  arrayreversesort arrayreversesplit arraysort arraysplit arraysum arraytopk mapall mapapply mapexists mapfilter
  mappartialreversesort mappartialsort mapreversesort mapsort`.split(/\s+/),
);

/** Whether a name as the first of several arguments may be a reference to a function. Ignores case. */
export function takesFunction(name: string): boolean {
  return HIGHER_ORDER.has(name.toLowerCase());
}

/** What is wrong with a reference to a function, or with a name that may be one. */
export function referenceViolation(name: string, reference: string): Violation {
  const shown = reference.slice(0, 60);
  return {
    code: 'sandbox.function_denied',
    message: `${name} requires a lambda as its first argument, not the name ${shown}`,
    hint: `Write x -> ${shown}(x). To pass a column, write it with its table, as in t.${shown}.`,
  };
}
