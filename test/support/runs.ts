// How many cases a property-based test generates.

/** The usual number in the suite; two hundred times as many with `npm run fuzz`. */
export function runs(usual: number): number {
  return process.env['FUZZ_CASES'] === undefined ? usual : usual * 200;
}
