// What a template demands of its values: `{% if not defined(x) %}{{ error('…') }}{% end %}`.
import { exclusive } from './arm.ts';
import { simplified, testedValues } from './conditions.ts';
import type { Arm, Condition, Node } from './nodes.ts';
import type { Demands } from './rendering.ts';

interface Collected {
  readonly asked: Set<string>;
  readonly required: Set<string>;
  readonly allowed: Map<string, readonly (string | number)[]>;
}

/** The demands of the template as a whole, and not of its alternatives. `text` is what the nodes are of. */
export function demandsOf(text: string, nodes: readonly Node[]): Demands {
  const found = nothing();
  collect(text, nodes, found);
  ask(text, nodes, found.asked);
  return found;
}

function nothing(): Collected {
  return { asked: new Set(), required: new Set(), allowed: new Map() };
}

/** The values that a part of the query is left out without. */
function ask(text: string, nodes: readonly Node[], asked: Set<string>): void {
  for (const node of nodes) {
    if (node.kind !== 'choice') continue;
    for (const arm of node.arms.filter((each) => !isRejection(text, each))) {
      const absent = testedValues(arm.when).filter((value) => value.default === undefined);
      for (const { name } of absent) asked.add(name);
      ask(text, arm.body, asked);
    }
  }
}

function collect(text: string, nodes: readonly Node[], found: Collected): void {
  for (const node of nodes) {
    if (node.kind !== 'choice') continue;
    for (const arm of exclusive(node.arms)) if (isRejection(text, arm)) demand(arm.when, found);
    const [other, more] = node.arms.filter((arm) => !isRejection(text, arm));
    const hasEnd = node.arms.at(-1)?.when.kind === 'constant';
    // What is left is the template for all calls that are not rejected.
    if (hasEnd && other !== undefined && more === undefined && node.arms.length > 1)
      collect(text, other.body, found);
  }
}

/** Whether calls that the alternative is for are rejected. */
export function isRejection(text: string, { body }: Arm): boolean {
  const rejections = body.filter((node) => node.kind === 'item' && node.item.kind === 'reject');
  return (
    rejections.length > 0 &&
    body.every(
      (node) =>
        rejections.includes(node) || (node.kind === 'text' && text.slice(node.start, node.end).trim() === ''),
    )
  );
}

/** Whether all calls that the condition rejects are rejected by the declarations of its values. */
export function isDemand(condition: Condition): boolean {
  return demand(simplified(condition), nothing());
}

function demand(rejected: Condition, found: Collected): boolean {
  if (rejected.kind === 'any') return rejected.of.map((each) => demand(each, found)).every(Boolean);
  if (rejected.kind === 'not' && rejected.of.kind === 'given') {
    found.required.add(rejected.of.value.name);
    return true;
  }
  const each = conjuncts(rejected);
  const given = each.find((condition) => condition.kind === 'given');
  const names = otherThan(each.filter((condition) => condition.kind !== 'given'));
  if (names === undefined || (given !== undefined && given.value.name !== names.name)) return false;
  if (each.filter(({ kind }) => kind === 'given').length > 1) return false;
  found.allowed.set(names.name, names.values);
  if (given === undefined) found.required.add(names.name); // an absent value is none of the list
  return true;
}

function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'all' ? condition.of.flatMap(conjuncts) : [condition];
}

interface Names {
  readonly name: string;
  readonly values: readonly (string | number)[];
}

/** `x != 'a' and x != 'b'`, which `x not in ['a', 'b']` is. */
function otherThan(conditions: readonly Condition[]): Names | undefined {
  const values: (string | number)[] = [];
  let name: string | undefined;
  for (const condition of conditions) {
    if (condition.kind !== 'not' || condition.of.kind !== 'compare' || condition.of.operator !== '=')
      return undefined;
    const { value, right } = condition.of;
    if (
      (name !== undefined && value.name !== name) ||
      (typeof right !== 'string' && typeof right !== 'number')
    )
      return undefined;
    name = value.name;
    values.push(right);
  }
  return name === undefined ? undefined : { name, values };
}
