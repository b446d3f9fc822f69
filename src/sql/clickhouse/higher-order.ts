// Functions that take a lambda. The engine also accepts the name of a function in its place and calls that function, which no
// check of calls sees: `arrayMap(file, […])`. `test/guard/sandbox/function-references.corpus.test.ts` finds them in the engine.

/** Names in lower case. */
const HIGHER_ORDER: ReadonlySet<string> = new Set(
  `arrayall arrayavg arraybottomk arraycompact arraycount arraycumsum arraycumsumnonnegative arraydifference arrayexists
  arrayfill arrayfilter arrayfirst arrayfirstindex arrayfirstornull arrayfold arraylast arraylastindex arraylastornull
  arraymap arraymax arraymin arraypartialreversesort arraypartialshuffle arraypartialsort arrayproduct arrayreversefill
  arrayreversesort arrayreversesplit arraysort arraysplit arraysum arraytopk mapall mapapply mapexists mapfilter
  mappartialreversesort mappartialsort mapreversesort mapsort`.split(/\s+/),
);

/** Returns whether a name as the first of several arguments may be a reference to a function. Ignores case. */
export function takesFunction(name: string): boolean {
  return HIGHER_ORDER.has(name.toLowerCase());
}
