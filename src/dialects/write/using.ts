// JOIN … USING of strings that are equal if they differ only in case.
import type { Expression, FromItem, Name } from '../tree.ts';
import { unconverted } from '../context.ts';
import type { Relation } from './context.ts';
import { columnOf } from './scope.ts';

interface Sides {
  readonly item: FromItem;
  readonly added: readonly Relation[];
  readonly earlier: readonly Relation[];
}

/** The condition that USING means, which compares without regard to case; undefined if no column is known to have strings. */
export function caselessUsing(using: readonly Name[], sides: Sides): Expression | undefined {
  const { added, earlier, item } = sides;
  const isText = (each: Name): boolean =>
    [...added, ...earlier].some((side) => columnOf(side, each)?.value.type.kind === 'text');
  if (!using.some(isText)) return undefined;
  if (item.join === 'RIGHT' || item.join === 'FULL')
    return unconverted(
      item.at,
      'collation',
      `${item.join} JOIN … USING of strings is not converted`,
      'Write ON.',
    );
  const equalities = using.map((each): Expression => {
    const left = earlier.find((side) => columnOf(side, each) !== undefined)?.alias;
    const right = added.find((side) => columnOf(side, each) !== undefined)?.alias;
    if (left === undefined || right === undefined)
      return unconverted(
        item.at,
        'collation',
        'USING of strings is not converted',
        'Write ON, with aliases.',
      );
    const side = (alias: string): Expression => ({
      kind: 'path',
      parts: [{ name: alias, at: each.at }, each],
      at: each.at,
    });
    return { kind: 'binary', operator: '=', left: side(left), right: side(right), at: each.at };
  });
  const [only, more] = equalities;
  return more === undefined ? only : { kind: 'chain', operator: 'AND', values: equalities, at: item.at };
}
