// Dates and times that are compared with a number such as 20240101: the engine reads it as seconds or days since 1970.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import type { Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { nodesOf, namesOf, spanOf, textOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { Analysis } from '../../../service/endpoints/analysis.ts';
import type { TablesOnEngine } from './tables-on-engine.ts';
import { overVariants } from '../../../service/endpoints/variant-findings.ts';
import { isDateTime, plainTypeOf } from '../../../sql/types/traits.ts';

export const TIME_NUMBER_CODES: Codes = {
  'lint.time_as_number': {
    title: 'A time that is compared with a date as a number',
    help: "ClickHouse compares a DateTime with a number as seconds since 1970: 20240101 is in August 1970. Write a string, '2024-01-01', or toDate.",
  },
};

const COMPARISON = /^(?:=|==|!=|<>|<|<=|>|>=)$/;
/** A date as digits, alone or with a time. */
const DIGITS = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{6})?$/;

/** Warnings about times that the engine accepts such a number for. */
export function findTimeNumbers(
  analysis: Analysis,
  columns: TablesOnEngine['columns'],
): readonly PathFinding[] {
  return overVariants(analysis, (variant) => {
    const { tree } = variant;
    const times = timeColumns(tree, columns);
    return nodesOf(tree.root, 'binary').flatMap((comparison): PathFinding[] => {
      const { parts } = comparison;
      const column = parts.find(({ kind }) => kind === 'column');
      const number = textOf(tree, parts.find(({ kind }) => kind === 'number') ?? { from: 0, to: 0 });
      const name = column && namesOf(tree, column).at(-1);
      if (
        name === undefined ||
        !times.has(name) ||
        !DIGITS.test(number) ||
        !COMPARISON.test(wordOf(tree, comparison))
      )
        return [];
      const [year, month, day] = [number.slice(0, 4), number.slice(4, 6), number.slice(6, 8)];
      return [
        {
          code: 'lint.time_as_number',
          severity: 'warning',
          ...variant.inBound(spanOf(tree, comparison).start),
          message: `${number} is compared with ${name} as seconds since 1970, and not as a date`,
          hint: `Write '${year}-${month}-${day}'`,
        },
      ];
    });
  });
}

/** The columns of times of the tables that a query names; without those that are of another type in one of the tables. */
function timeColumns(tree: Tree, columns: TablesOnEngine['columns']): ReadonlySet<string> {
  const names = new Set(nodesOf(tree.root, 'table').map((table) => namesOf(tree, table).join('.')));
  const read = [...columns].filter(([table]) => names.has(table)).flatMap(([, all]) => [...all]);
  const others = new Set(read.filter(([, type]) => !isTime(type)).map(([name]) => name));
  return new Set(read.flatMap(([name, type]) => (isTime(type) && !others.has(name) ? [name] : [])));
}

function isTime(type: string): boolean {
  return isDateTime(plainTypeOf(type));
}
