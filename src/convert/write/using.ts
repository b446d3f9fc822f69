// JOIN … USING of strings that are equal if they differ only in case.
import type { Expression, FromItem, Name } from '../../sql/syntax-tree.ts';
import { unconverted } from '../../dialects/context.ts';
import type { Column, Relation } from './scope.ts';

interface Sides {
  readonly item: FromItem;
  readonly relation: Relation;
  readonly earlier: readonly Relation[];
}

const columnOf = ({ columns }: Relation, { name }: Name): Column | undefined =>
  columns?.find((each) => each.name.toLowerCase() === name.toLowerCase());

/** The condition that USING means, which compares without regard to case; undefined if no column is known to have strings. */
export function caselessUsing(using: readonly Name[], sides: Sides): Expression | undefined {
  const { relation, earlier, item } = sides;
  const isText = (each: Name): boolean =>
    [relation, ...earlier].some((side) => columnOf(side, each)?.type.kind === 'text');
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
    const right = relation.alias;
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
