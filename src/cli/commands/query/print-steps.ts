// Prints how a query became the statement that is sent: after each rewrite, the text before and after it side by side.
import type { StatementStep } from '../../../service/request/planned-query.ts';
import type { Terminal } from '../../kit/terminal.ts';

/** Characters of a side. */
const SIDE = 58;
/** Longer texts are not aligned: that takes the product of their lines. */
const MAX_ALIGNED = 1000;

export function printSteps(steps: readonly StatementStep[], { print, paint }: Terminal): void {
  let before: string | undefined;
  for (const [index, { step, reason, sql }] of steps.entries()) {
    print('');
    print(paint('bold', `${index + 1}. ${step}: ${reason}`));
    for (const line of before === undefined ? sql.split('\n') : sideBySide(before, sql)) print(line);
    before = sql;
  }
}

/** As `diff --side-by-side` writes it: `|` between lines that differ, `<` and `>` beside lines that only one text has. */
export function sideBySide(before: string, after: string): readonly string[] {
  return pairsOf(before.split('\n'), after.split('\n')).flatMap(([left, right]) => {
    const mark = left === undefined ? '>' : right === undefined ? '<' : left === right ? ' ' : '|';
    const [lefts, rights] = [partsOf(left), partsOf(right)];
    const rows = Math.max(lefts.length, rights.length);
    return Array.from({ length: rows }, (_, row) =>
      `${(lefts[row] ?? '').padEnd(SIDE)} ${mark} ${rights[row] ?? ''}`.trimEnd(),
    );
  });
}

type SideLines = readonly [left: string | undefined, right: string | undefined];

function partsOf(line: string | undefined): readonly string[] {
  if (line === undefined) return [];
  const characters = Array.from(line);
  const count = Math.max(1, Math.ceil(characters.length / SIDE));
  return Array.from({ length: count }, (_, part) =>
    characters.slice(part * SIDE, (part + 1) * SIDE).join(''),
  );
}

/** The lines of both texts, in which equal ones are beside each other. */
function pairsOf(lefts: readonly string[], rights: readonly string[]): readonly SideLines[] {
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
