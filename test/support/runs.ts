// How many cases a property-based test generates, and which of the listed ones a test runs.

/** The usual number in the suite; two hundred times as many with `npm run fuzz`, and with `npm run test:lists`. */
export function runs(usual: number): number {
  return process.env['FUZZ_CASES'] === undefined ? usual : usual * 200;
}

/** Of the cases, one of so many of each kind, the first included; all of them with `npm run test:lists` and `npm run fuzz`. */
export function someOfEach<T>(
  cases: readonly T[],
  each: number,
  kindOf: (one: T) => string = () => '',
): readonly T[] {
  if (process.env['FUZZ_CASES'] !== undefined) return cases;
  const counts = new Map<string, number>();
  return cases.filter((one) => {
    const kind = kindOf(one);
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    return count % each === 0;
  });
}

const FEW = 10_000;

/** For files whose lists take the time: the usual number with `npm run test:lists` as well, which has few cases. */
export function runsBesideLists(usual: number): number {
  return Number(process.env['FUZZ_CASES'] ?? 0) < FEW ? usual : runs(usual);
}
