// Conditions inside of if(), CASE and transform() that are compared with a constant: the condition can stand alone.
import { quoteIdentifier } from '../../../../sql/clickhouse/literal.ts';
import type { Node } from '../../../../sql/clickhouse/tree/nodes.ts';
import type { ChangeKind, ChangeSubject } from '../change.ts';
import { bare, calledWith, comparedOf, hasKey, written } from '../subject.ts';
import { hidden } from '../hidden-condition.ts';

/** A condition, and the constant for rows that meet it. */
interface Branch {
  readonly condition: Node;
  readonly value: Node;
}

export const CONDITIONALS: ChangeKind = {
  name: 'conditionals',
  *propose(subject) {
    for (const node of subject.conditions) {
      const compared = comparedOf(subject, node);
      const isAlone = compared === undefined;
      if (compared !== undefined && compared.operator !== '=') continue;
      const value = bare(compared?.left ?? node);
      if (!hasKey(subject, value)) continue;
      const wanted = compared === undefined ? '1' : constantOf(subject, compared.right);
      const text =
        wanted === undefined
          ? undefined
          : (conditionFor(subject, value, wanted) ??
            (isAlone ? undefined : castCondition(subject, value, wanted)));
      if (text !== undefined) yield hidden(subject, node, text);
    }
  },
};

/** Returns the conditions of the branches with the value, if the first of all branches have it. */
function conditionFor(subject: ChangeSubject, node: Node, wanted: string): string | undefined {
  const branches = branchesOf(subject, node);
  if (branches === undefined) return undefined;
  const values = [...branches.branches.map(({ value }) => value), branches.other].map((each) =>
    each === undefined ? 'NULL' : constantOf(subject, each),
  );
  if (values.includes(undefined)) return undefined;
  const others = values.findIndex((each) => each !== wanted);
  const last = values.lastIndexOf(wanted);
  if (last < 0 || others < 0 || last > others) return undefined;
  const all = branches.branches.slice(0, others).map(({ condition }) => written(subject, condition));
  return all.length === 1 ? `(${all.join('')})` : `(${all.map((each) => `(${each})`).join(' OR ')})`;
}

function branchesOf(
  subject: ChangeSubject,
  node: Node,
): { readonly branches: readonly Branch[]; readonly other: Node | undefined } | undefined {
  const list = calledWith(subject, node, 'if', 'multiif');
  if (list !== undefined && list.length >= 3 && list.length % 2 === 1) {
    const branches: Branch[] = [];
    for (let at = 0; at + 1 < list.length; at += 2) {
      const [condition, value] = [list[at], list[at + 1]];
      if (condition !== undefined && value !== undefined) branches.push({ condition, value });
    }
    return { branches, other: list.at(-1) };
  }
  if (node.kind !== 'case' || node.parts.some(({ kind }) => kind !== 'when' && kind !== 'else'))
    return undefined;
  const branches = node.parts.flatMap(({ kind, parts: [condition, value] }) =>
    kind === 'when' && condition !== undefined && value !== undefined ? [{ condition, value }] : [],
  );
  return { branches, other: node.parts.find(({ kind }) => kind === 'else')?.parts[0] };
}

/** Returns 1 and 0 for true and false, and other constants as they are written. */
function constantOf(subject: ChangeSubject, node: Node): string | undefined {
  if (node.kind === 'string') return written(subject, node);
  if (node.kind !== 'number' && node.kind !== 'constant') return undefined;
  const text = written(subject, node).toUpperCase();
  return text === 'TRUE' ? '1' : text === 'FALSE' ? '0' : text;
}

/** `toUInt8(key = 'a') = 1`. */
function castCondition(subject: ChangeSubject, node: Node, wanted: string): string | undefined {
  const [condition, ...others] = calledWith(subject, node, 'touint8', 'tobool', 'toint8', 'toint32') ?? [];
  const isCondition = condition !== undefined && CONDITIONS.has(condition.kind) && others.length === 0;
  return isCondition && wanted === '1' ? `(${written(subject, condition)})` : undefined;
}

const CONDITIONS: ReadonlySet<Node['kind']> = new Set<Node['kind']>(['binary', 'in', 'between', 'and', 'or']);

/** Lists that a key is searched in by functions which do not use it. */
export const LISTS: ChangeKind = {
  name: 'lists',
  *propose(subject) {
    for (const node of subject.conditions) {
      const found = listOf(subject, node);
      if (found === undefined || !hasKey(subject, found.key)) continue;
      if (/\bnull/i.test(written(subject, found.list))) continue; // `has` finds NULL
      yield hidden(subject, node, `has(${written(subject, found.list)}, ${written(subject, found.key)})`);
    }
  },
};

interface Searched {
  readonly list: Node;
  readonly key: Node;
}

function listOf(subject: ChangeSubject, node: Node): Searched | undefined {
  const [value, list] = calledWith(subject, node, 'arrayexists') ?? [];
  if (value !== undefined && list !== undefined) return inLambda(subject, value, list);
  const [one, other] = calledWith(subject, node, 'hasany') ?? [];
  if (one !== undefined && other !== undefined) return inPair(one, other) ?? inPair(other, one);
  const compared = comparedOf(subject, node);
  if (compared === undefined || !isPositive(subject, compared)) return undefined;
  const [items, key] = calledWith(subject, compared.left, 'indexof') ?? [];
  if (items !== undefined && key !== undefined) return { list: items, key };
  const [counted, all] = calledWith(subject, compared.left, 'arraycount', 'countequal') ?? [];
  if (counted === undefined || all === undefined) return undefined;
  return counted.kind === 'lambda' ? inLambda(subject, counted, all) : { list: counted, key: all };
}

function isPositive(subject: ChangeSubject, { operator, right }: { operator: string; right: Node }): boolean {
  const text = `${operator} ${written(subject, right)}`;
  return text === '> 0' || text === '!= 0' || text === '>= 1' || text === '<> 0';
}

function inPair(list: Node, single: Node): Searched | undefined {
  const [key, ...others] = single.kind === 'array' ? single.parts : [];
  return key?.kind === 'column' && others.length === 0 ? { list, key } : undefined;
}

/** `x -> x = key`. */
function inLambda(subject: ChangeSubject, lambda: Node, list: Node): Searched | undefined {
  const [parameter, body, ...others] = lambda.kind === 'lambda' ? lambda.parts : [];
  if (parameter === undefined || body?.kind !== 'binary' || others.length > 0) return undefined;
  const [left, right] = body.parts;
  if (left === undefined || right === undefined || subject.tree.cursor.text(body.at) !== '=')
    return undefined;
  const name = written(subject, parameter);
  const isParameter = (each: Node): boolean => [name, quoteIdentifier(name)].includes(written(subject, each));
  if (isParameter(left) === isParameter(right)) return undefined;
  return { list, key: isParameter(left) ? right : left };
}
