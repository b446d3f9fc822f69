// How many cases a property-based test generates, and which of the listed ones a test runs.

const CASES = process.env['FUZZ_CASES'];
/** From this value of `FUZZ_CASES`, that of `npm run fuzz` and not that of `npm run test:all`, there are many more cases. */
const MANY = 100_000;

/** The usual number, `listed` with `npm run test:all`, and two hundred times as many as that with `npm run fuzz`. */
export function runs(usual: number, listed = usual): number {
  if (CASES === undefined) return usual;
  return Number(CASES) < MANY ? listed : listed * 200;
}

/** A size, or a number of repetitions: `whole` with `npm run test:all` and `npm run fuzz`. */
export function sizeOf(usual: number, whole: number): number {
  return CASES === undefined ? usual : whole;
}

/** Of the cases, all with `npm run test:all` and `npm run fuzz`, and otherwise every so many. */
export function some<T>(cases: readonly T[], each: number): readonly T[] {
  return CASES === undefined ? cases.filter((_, index) => index % each === 0) : cases;
}

/** The same of each kind, at least one of it. Tests with other values of `from` run others. */
export function someOfEach<T>(
  cases: readonly T[],
  kindOf: (one: T) => string,
  { each, from = 0 }: { readonly each: number; readonly from?: number },
): readonly T[] {
  if (CASES !== undefined) return cases;
  const sizes = new Map<string, number>();
  for (const one of cases) sizes.set(kindOf(one), (sizes.get(kindOf(one)) ?? 0) + 1);
  const seen = new Map<string, number>();
  return cases.filter((one) => {
    const kind = kindOf(one);
    const index = seen.get(kind) ?? 0;
    seen.set(kind, index + 1);
    return index % each === from % Math.min(each, sizes.get(kind) ?? 1);
  });
}
