// Prints how a query became the statement that is sent: after each rewrite, the text before and after it side by side.
import { alignLines } from '../../../sql/clickhouse/aligned-lines.ts';
import type { StatementStep } from '../../../service/request/planned-query.ts';
import type { Terminal } from '../../kit/terminal.ts';

/** Characters of a side. */
const SIDE = 58;

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
  return alignLines(before.split('\n'), after.split('\n')).flatMap(([left, right]) => {
    const mark = left === undefined ? '>' : right === undefined ? '<' : left === right ? ' ' : '|';
    const [lefts, rights] = [partsOf(left), partsOf(right)];
    const rows = Math.max(lefts.length, rights.length);
    return Array.from({ length: rows }, (_, row) =>
      `${(lefts[row] ?? '').padEnd(SIDE)} ${mark} ${rights[row] ?? ''}`.trimEnd(),
    );
  });
}

function partsOf(line: string | undefined): readonly string[] {
  if (line === undefined) return [];
  const characters = Array.from(line);
  const count = Math.max(1, Math.ceil(characters.length / SIDE));
  return Array.from({ length: count }, (_, part) =>
    characters.slice(part * SIDE, (part + 1) * SIDE).join(''),
  );
}
