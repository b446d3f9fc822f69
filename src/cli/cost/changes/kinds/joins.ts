// Joins and EXISTS that read a table as a whole, since the rows of the other side do not select among its keys: a condition with IN does.
import type { Node } from '../../../../sql/clickhouse/tree/nodes.ts';
import {
  nodesOf,
  conjunctsOf,
  nameOf,
  namesOf,
  operatorOf,
  partOf,
  textOf,
  wordOf,
} from '../../../../sql/clickhouse/tree/visit.ts';
import type { ChangeKind, ChangeProposal, ChangeSubject } from '../change.ts';
import { keyType, typeOfColumn, written } from '../subject.ts';

/** A side of a join, by the name that qualifies its columns. */
interface Side {
  readonly source: Node;
  readonly name: string;
}

interface Equality {
  readonly key: Node;
  readonly other: Node;
}

const INNER = /^(?:INNER |ALL |GLOBAL )*JOIN\b/i;

export const JOIN_KEYS: ChangeKind = {
  name: 'join-keys',
  *propose(subject) {
    for (const select of nodesOf(subject.tree.root, 'select')) {
      const where = partOf(select, 'where');
      const [first, join, ...others] = partOf(select, 'from')?.parts ?? [];
      const [source, on] = join?.kind === 'join' ? join.parts : [];
      if (first?.kind !== 'source' || join === undefined || others.length > 0) continue;
      if (source === undefined || on?.kind !== 'on' || where === undefined) continue;
      if (!INNER.test(textOf(subject.tree, join))) continue;
      const sides = [sideOf(subject, first), sideOf(subject, source)] as const;
      yield* toKey(subject, { where, on, one: sides[0], other: sides[1] });
      yield* toKey(subject, { where, on, one: sides[1], other: sides[0] });
    }
  },
};

function sideOf({ tree }: ChangeSubject, source: Node): Side {
  return { source, name: nameOf(tree, source) };
}

interface Joined {
  readonly where: Node;
  readonly on: Node;
  readonly one: Side;
  readonly other: Side;
}

/** Proposes that the keys of one side are among the values of the other one. */
function* toKey(subject: ChangeSubject, { where, on, one, other }: Joined): Iterable<ChangeProposal> {
  const equal = equalitiesOf(subject, on).find(
    ({ key, other: value }) =>
      qualifierOf(subject, key) === one.name && qualifierOf(subject, value) === other.name,
  );
  if (equal === undefined || one.source.parts[0]?.kind !== 'table') return;
  const own = where.parts.flatMap(conjunctsOf).filter((each) => isOnlyOf(subject, each, other.name));
  if (own.length === 0 && other.source.parts[0]?.kind !== 'subquery') return;
  const condition =
    own.length === 0 ? '' : ` WHERE ${own.map((each) => written(subject, each)).join(' AND ')}`;
  const values = `SELECT ${written(subject, equal.other)} FROM ${written(subject, other.source)}${condition}`;
  const [whole] = where.parts;
  if (whole === undefined) return;
  const added = ` AND ${written(subject, equal.key)} IN (${values})`;
  yield {
    code: 'cost.join',
    at: on,
    reason: `all rows of ${one.name} are read for the rows of ${other.name} that the condition leaves`,
    edits:
      whole.kind === 'or'
        ? [{ range: whole, text: `(${written(subject, whole)})${added}` }]
        : [{ range: { from: where.to, to: where.to }, text: added }],
  };
}

/** Returns the equalities of columns of which the first is one of a key, in both orders. */
function equalitiesOf(subject: ChangeSubject, condition: Node): readonly Equality[] {
  return condition.parts.flatMap(conjunctsOf).flatMap((each) => {
    const [left, right] = each.parts;
    if (each.kind !== 'binary' || left?.kind !== 'column' || right?.kind !== 'column') return [];
    if (!/^==?$/.test(operatorOf(subject.tree, each))) return [];
    return [
      { key: left, other: right },
      { key: right, other: left },
    ].filter(({ key }) => keyType(subject, key) !== undefined);
  });
}

function qualifierOf({ tree }: ChangeSubject, column: Node): string | undefined {
  const names = namesOf(tree, column);
  return names.length < 2 ? undefined : names[0];
}

/** Returns true for a condition on columns of one side alone. */
function isOnlyOf(subject: ChangeSubject, condition: Node, name: string): boolean {
  const columns = nodesOf(condition, 'column');
  return (
    columns.length > 0 &&
    nodesOf(condition, 'subquery', 'star').length === 0 &&
    columns.every((column) => qualifierOf(subject, column) === name)
  );
}

/** `EXISTS (SELECT 1 FROM s WHERE s.id = t.key AND …)`. */
export const EXISTS: ChangeKind = {
  name: 'exists',
  *propose(subject) {
    for (const node of subject.conditions) {
      const isExists = node.kind === 'quantified' && wordOf(subject.tree, { at: node.from }) === 'EXISTS';
      const [select] = isExists ? (node.parts[0]?.parts ?? []) : [];
      if (select?.kind !== 'select' || select.parts.some(({ kind }) => !EXISTS_CLAUSES.has(kind))) continue;
      const [from, where] = [partOf(select, 'from'), partOf(select, 'where')];
      const [source, ...joined] = from?.parts ?? [];
      if (source?.kind !== 'source' || where === undefined || joined.length > 0) continue;
      const text = asIn(subject, source, where);
      if (text === undefined) continue;
      yield {
        code: 'cost.join',
        at: node,
        reason: 'EXISTS reads all rows of the query around it',
        edits: [{ range: node, text }],
      };
    }
  },
};

const EXISTS_CLAUSES: ReadonlySet<Node['kind']> = new Set<Node['kind']>(['list', 'from', 'where']);

function asIn(subject: ChangeSubject, source: Node, where: Node): string | undefined {
  const { name } = sideOf(subject, source);
  const equal = equalitiesOf(subject, where).find(
    ({ key, other }) =>
      qualifierOf(subject, other) === name && ![undefined, name].includes(qualifierOf(subject, key)),
  );
  if (equal === undefined || where.parts.some(({ kind }) => kind === 'or')) return undefined;
  // IN converts the values to the type of the key.
  if (keyType(subject, equal.key)?.name !== typeOfColumn(subject, equal.other)?.name) return undefined;
  const isEquality = (each: Node): boolean => each.from <= equal.key.from && equal.key.to <= each.to;
  const own = where.parts.flatMap(conjunctsOf).filter((each) => !isEquality(each));
  if (!own.every((each) => isOnlyOf(subject, each, name))) return undefined;
  const condition =
    own.length === 0 ? '' : ` WHERE ${own.map((each) => written(subject, each)).join(' AND ')}`;
  return `${written(subject, equal.key)} IN (SELECT ${written(subject, equal.other)} FROM ${written(subject, source)}${condition})`;
}
