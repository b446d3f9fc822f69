// Reads GROUP BY, LIMIT and what takes their place.
import type { Expression, Grouping } from '../../sql/syntax-tree.ts';
import { place, type Member, type Skeleton } from './leaf.ts';
import {
  type Source,
  expectSymbol,
  isSymbol,
  isWord,
  next,
  peek,
  readExpression,
  readList,
  takeSymbol,
  takeWords,
  unexpected,
} from './source.ts';

/** The elements of GROUP BY: expressions into the skeleton, groupings into the member. */
export function readGroupBy(source: Source, skeleton: Skeleton, member: Member): void {
  if (isWord(source, 'ALL') && !isSymbol(source, '(', 1)) {
    source.at++;
    member.isGroupAll = true;
    return;
  }
  if (isWord(source, 'DISTINCT')) unexpected(source, 'expressions of GROUP BY');
  const values: Expression[] = [];
  const groupings: Grouping[] = [];
  do {
    const grouping = readGrouping(source);
    if (grouping === undefined) values.push(readExpression(source));
    else groupings.push(grouping);
  } while (takeSymbol(source, ','));
  const { start: at } = peek(source);
  const isRollup = takeWords(source, 'WITH', 'ROLLUP');
  if (isRollup || takeWords(source, 'WITH', 'CUBE')) {
    const sets = values.map((value) => [value]);
    member.groupings = [{ kind: isRollup ? 'rollup' : 'cube', at, sets }];
    return;
  }
  if (groupings.length > 0) member.groupings = groupings;
  if (values.length === 0) return;
  const places = values.map((value) => place(skeleton, { kind: 'expression', value }));
  skeleton.pieces.push('GROUP BY', places.join(', '));
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

export interface Limits {
  readonly limit?: string;
  readonly offset?: string;
  readonly hasTies: boolean;
}

/** LIMIT, OFFSET and FETCH, in any order. */
export function readLimits(source: Source): Limits {
  let [limit, offset]: (string | undefined)[] = [];
  let hasTies = false;
  for (;;) {
    if (takeWords(source, 'LIMIT')) {
      if (takeWords(source, 'ALL') || takeWords(source, 'NULL')) continue;
      limit = readCount(source);
      if (takeSymbol(source, ',')) [offset, limit] = [limit, readCount(source)];
    } else if (takeWords(source, 'OFFSET')) {
      offset = readCount(source);
      if (!takeWords(source, 'ROWS')) takeWords(source, 'ROW');
    } else if (isWord(source, 'FETCH')) {
      const fetched = readFetch(source);
      limit = fetched.limit;
      hasTies = fetched.hasTies;
    } else break;
  }
  return { ...(limit === undefined ? {} : { limit }), ...(offset === undefined ? {} : { offset }), hasTies };
}

/** A number or a parameter. */
export function readCount(source: Source): string {
  const isOpen = takeSymbol(source, '(');
  const { kind, text } = next(source);
  if (isOpen) expectSymbol(source, ')');
  if (kind === 'parameter') return `@${text}`;
  if (kind === 'number' && /^\d+$/.test(text)) return text;
  source.at--;
  return unexpected(source, 'a number or a parameter');
}

function readFetch(source: Source): { readonly limit: string; readonly hasTies: boolean } {
  source.at++;
  if (!takeWords(source, 'FIRST') && !takeWords(source, 'NEXT')) unexpected(source, 'FIRST or NEXT');
  const limit = isWord(source, 'ROW') || isWord(source, 'ROWS') ? '1' : readCount(source);
  if (!takeWords(source, 'ROWS')) takeWords(source, 'ROW');
  const hasTies = takeWords(source, 'WITH', 'TIES');
  if (!hasTies && !takeWords(source, 'ONLY')) unexpected(source, 'ONLY or WITH TIES');
  return { limit, hasTies };
}
