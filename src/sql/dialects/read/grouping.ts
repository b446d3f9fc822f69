// Reads GROUP BY.
import type { Expression, Grouping, Select } from '../tree.ts';
import { leaf, written } from './outline.ts';
import { unsupported } from '../context.ts';
import {
  isSymbol,
  isWord,
  peek,
  readExpression,
  readList,
  requires,
  takeSymbol,
  takeWords,
  unexpected,
  type Source,
} from './source.ts';

export type Groups = Pick<Select, 'groupBy' | 'groupings'>;

/** The elements of GROUP BY, which has been read. */
export function readGroupBy(source: Source): Groups {
  const from = source.at - 2;
  if (isWord(source, 'ALL') && !isSymbol(source, '(', 1)) {
    source.at++;
    written(source, from, '');
    return { groupBy: 'ALL' };
  }
  if (isWord(source, 'DISTINCT')) unexpected(source, 'expressions of GROUP BY');
  const values: Expression[] = [];
  const groupings: Grouping[] = [];
  do {
    const key = leaf(source, () => readGrouping(source) ?? readExpression(source));
    if (isGrouping(key)) groupings.push(key);
    else values.push(key);
  } while (takeSymbol(source, ','));
  const { start: at } = peek(source);
  const index = source.at;
  if (isWord(source, 'WITH')) requires(source, 'standard calls', 'WITH ROLLUP');
  const kind = takeWords(source, 'WITH', 'ROLLUP')
    ? 'rollup'
    : takeWords(source, 'WITH', 'CUBE')
      ? 'cube'
      : undefined;
  if (kind === undefined) return { groupBy: values, ...(groupings.length === 0 ? {} : { groupings }) };
  if (groupings.length > 0)
    unsupported(at, 'WITH ROLLUP and WITH CUBE after other groupings are not supported');
  written(source, index, '');
  return { groupBy: [], groupings: [{ kind, at, sets: values.map((value) => [value]) }] };
}

function isGrouping(key: Expression | Grouping): key is Grouping {
  return key.kind === 'rollup' || key.kind === 'cube' || key.kind === 'sets';
}

function readGrouping(source: Source): Grouping | undefined {
  const { start: at } = peek(source);
  if (isSymbol(source, '(') && isSymbol(source, ')', 1)) {
    source.at += 2;
    return { kind: 'sets', at, sets: [[]] };
  }
  if (takeWords(source, 'GROUPING', 'SETS'))
    return { kind: 'sets', at, sets: readList(source, () => readSet(source)) };
  const kind = isWord(source, 'ROLLUP') ? 'rollup' : isWord(source, 'CUBE') ? 'cube' : undefined;
  if (kind === undefined || !isSymbol(source, '(', 1)) return undefined;
  source.at++;
  return { kind, at, sets: readList(source, () => readSet(source)) };
}

/** `(a, b)`, `a` or `()`. */
function readSet(source: Source): readonly Expression[] {
  if (isSymbol(source, '(') && isSymbol(source, ')', 1)) {
    source.at += 2;
    return [];
  }
  const value = readExpression(source);
  return value.kind === 'row' ? value.items : [value];
}
