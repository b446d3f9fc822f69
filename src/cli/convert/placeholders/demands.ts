// What a template demands of its values: `{% if not defined(x) %}{{ error('…') }}{% end %}`.
import { exclusive } from './arm.ts';
import { simplified, testedValues } from './conditions.ts';
import { ALWAYS, type Arm, type Condition, type Node } from './nodes.ts';
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
    for (const arm of answeredArms(node, text)) {
      const absent = testedValues(arm.when).filter((value) => value.default === undefined);
      for (const { name } of absent) asked.add(name);
      ask(text, arm.body, asked);
    }
  }
}

function collect(text: string, nodes: readonly Node[], found: Collected): void {
  for (const node of nodes) {
    if (node.kind !== 'choice') continue;
    const arms = node.arms.flatMap((arm) => flattened(arm, text));
    for (const arm of exclusive(arms)) if (isRejection(text, arm)) demand(arm.when, found);
    const [other, more] = arms.filter((arm) => !isRejection(text, arm));
    const hasEnd = arms.at(-1)?.when.kind === 'constant';
    // What is left is the template for all calls that are not rejected.
    if (hasEnd && other !== undefined && more === undefined && arms.length > 1)
      collect(text, other.body, found);
  }
}

/** An alternative that consists of alternatives, as these. */
export function flattened(arm: Arm, text: string): readonly Arm[] {
  const [inner, more] = arm.body.filter(
    (node) => node.kind !== 'text' || text.slice(node.start, node.end).trim() !== '',
  );
  if (inner?.kind !== 'choice' || more !== undefined) return [arm];
  const arms = inner.arms.flatMap((each) => flattened(each, text));
  const none: readonly Arm[] = arms.at(-1)?.when.kind === 'constant' ? [] : [{ when: ALWAYS, body: [] }];
  return [...arms, ...none].map(({ when, body }) => ({
    when: simplified({ kind: 'all', of: [arm.when, when] }),
    body,
  }));
}

/** The alternatives of calls that are answered; none, if all that they differ in is which calls are. */
export function answeredArms({ arms }: Extract<Node, { kind: 'choice' }>, text: string): readonly Arm[] {
  const answered = arms.flatMap((arm) => flattened(arm, text)).filter((arm) => !isRejection(text, arm));
  const isEmpty = ({ body }: Arm): boolean =>
    body.every(({ kind, start, end }) => kind === 'text' && text.slice(start, end).trim() === '');
  return answered.every(isEmpty) ? [] : answered;
}

/** Returns whether calls that the alternative is for are rejected. */
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

/** Returns whether the demands reject all calls that the condition rejects. */
export function isDemand(condition: Condition, demands: Demands): boolean {
  const own = nothing();
  return (
    demand(simplified(condition), own) &&
    [...own.required].every((name) => demands.required.has(name)) &&
    [...own.allowed.keys()].every((name) => demands.allowed.has(name))
  );
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

interface DemandedName {
  readonly name: string;
  readonly values: readonly (string | number)[];
}

/** `x != 'a' and x != 'b'`, which `x not in ['a', 'b']` is. */
function otherThan(conditions: readonly Condition[]): DemandedName | undefined {
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
