// Aligns the lines of two texts, so that they can be shown side by side.

export type SideLines = readonly [left: string | undefined, right: string | undefined];

/** Longer texts are not aligned: that takes the product of their lines. */
const MAX_ALIGNED = 1000;

/** Returns the lines of both texts, in which equal ones are beside each other. */
export function alignLines(lefts: readonly string[], rights: readonly string[]): readonly SideLines[] {
  const pairs: SideLines[] = [];
  let [left, right] = [0, 0];
  for (const [nextLeft, nextRight] of [...commonOf(lefts, rights), [lefts.length, rights.length] as const]) {
    const rows = Math.max(nextLeft - left, nextRight - right);
    for (let row = 0; row < rows; row++)
      pairs.push([
        left + row < nextLeft ? lefts[left + row] : undefined,
        right + row < nextRight ? rights[right + row] : undefined,
      ]);
    if (nextLeft < lefts.length) pairs.push([lefts[nextLeft], rights[nextRight]]);
    [left, right] = [nextLeft + 1, nextRight + 1];
  }
  return pairs;
}

/** The indexes of a longest common subsequence. */
function commonOf(
  lefts: readonly string[],
  rights: readonly string[],
): readonly (readonly [number, number])[] {
  if (lefts.length > MAX_ALIGNED || rights.length > MAX_ALIGNED) return [];
  const width = rights.length + 1;
  const lengths = new Uint16Array((lefts.length + 1) * width);
  const at = (left: number, right: number): number => lengths[left * width + right] ?? 0;
  for (let left = lefts.length - 1; left >= 0; left--)
    for (let right = rights.length - 1; right >= 0; right--)
      lengths[left * width + right] =
        lefts[left] === rights[right]
          ? at(left + 1, right + 1) + 1
          : Math.max(at(left + 1, right), at(left, right + 1));
  const common: [number, number][] = [];
  let [left, right] = [0, 0];
  while (left < lefts.length && right < rights.length) {
    if (lefts[left] === rights[right]) common.push([left++, right++]);
    else if (at(left + 1, right) >= at(left, right + 1)) left++;
    else right++;
  }
  return common;
}
