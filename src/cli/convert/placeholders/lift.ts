// Alternatives that have no form where they stand, as alternatives of the query around them: `SELECT … FROM {% if c %} a {% else %} b {% end %}`.
import { ALWAYS, type Arm, type Condition, type Node, type NodeSource } from './nodes.ts';
import { simplified } from './conditions.ts';
import type { Span } from './rendering.ts';
import { readRegions } from './source-lexer.ts';

const MAX_ARMS = 4;

/** The nodes with the query around a choice, which begins at this offset, in its place; undefined if there is none. */
export function lifted(nodes: readonly Node[], at: number, source: NodeSource): readonly Node[] | undefined {
  const index = nodes.findIndex(({ start, end }) => start <= at && at < end);
  const found = nodes[index];
  if (found?.kind !== 'choice') return undefined;
  if (found.start !== at) {
    const arms = found.arms.map((arm) => ({ ...arm, body: lifted(arm.body, at, source) ?? arm.body }));
    return arms.some((arm, place) => arm.body !== found.arms[place]?.body)
      ? nodes.with(index, { ...found, arms })
      : undefined;
  }
  const range = queryAround(nodes, at, {
    source,
    isQuery: found.arms.every(({ body }) => isSelect(body, source)),
  });
  const isElse = found.arms.at(-1)?.when.kind === 'constant';
  const own: readonly Arm[] = isElse ? found.arms : [...found.arms, { when: ALWAYS, body: [] }];
  if (range === undefined || own.length > MAX_ARMS) return undefined;
  const inside = slice(nodes, range.start, range.end);
  const arms = own.map(({ when }, place): Arm => {
    const facts = factsOf(own.slice(0, place), when);
    return { when, body: inside.map((node) => assuming(node, facts)) };
  });
  return [
    ...slice(nodes, 0, range.start),
    { kind: 'choice', isQuery: true, ...range, arms },
    ...slice(nodes, range.end, source.text.length),
  ];
}

interface Mark extends Span {
  readonly token: string;
}

const TOKENS = /[()[\]]|[A-Za-z_]\w*/g;

function isSelect([first]: readonly Node[], { text }: NodeSource): boolean {
  return first?.kind === 'text' && /^\s*select\b/i.test(text.slice(first.start, first.end));
}

/** Returns the range from the SELECT of the query around an offset to its end; with `isQuery`, the query begins there. */
function queryAround(
  nodes: readonly Node[],
  at: number,
  { source, isQuery }: { readonly source: NodeSource; readonly isQuery: boolean },
): Span | undefined {
  const levels: (Span | undefined)[] = [undefined];
  let depth: number | undefined;
  for (const { token, start, end } of marksIn(nodes, source)) {
    if (start > at && depth === undefined) {
      if (isQuery) levels[levels.length - 1] = { start: at, end: at };
      depth = levels.findLastIndex((each) => each !== undefined);
      if (depth < 0) return undefined;
    }
    const isInside = depth !== undefined && levels.length > depth + 1;
    if (token === '(' || token === '[') levels.push(undefined);
    else if (token === ')' || token === ']') {
      if (depth !== undefined && !isInside) return { start: levels[depth]?.start ?? 0, end: start };
      if (levels.length > 1) levels.pop();
    } else if (depth === undefined && token === 'SELECT') levels[levels.length - 1] = { start, end };
  }
  if (isQuery && depth === undefined) levels[levels.length - 1] = { start: at, end: at };
  depth ??= levels.findLastIndex((each) => each !== undefined);
  const query = levels[depth];
  return depth > 0 || query === undefined ? undefined : { start: query.start, end: source.text.length };
}

/** Brackets and words of the SQL, without those of alternatives. */
function* marksIn(nodes: readonly Node[], { text, dialect }: NodeSource): Generator<Mark> {
  for (const node of nodes) {
    if (node.kind !== 'text') continue;
    const sql = text.slice(node.start, node.end);
    for (const { kind, start, end } of readRegions(sql, dialect, () => undefined)) {
      if (kind !== 'code') continue;
      for (const { 0: token, index } of sql.slice(start, end).matchAll(TOKENS)) {
        const from = node.start + start + index;
        yield { token: token.toUpperCase(), start: from, end: from + token.length };
      }
    }
  }
}

function slice(nodes: readonly Node[], from: number, to: number): readonly Node[] {
  return nodes.flatMap((node): readonly Node[] => {
    if (node.kind !== 'text') return node.start >= from && node.end <= to ? [node] : [];
    const [start, end] = [Math.max(node.start, from), Math.min(node.end, to)];
    return start < end ? [{ ...node, start, end }] : [];
  });
}

/** Conditions that are known to hold, or not to. */
interface ConditionFacts {
  /** The keys are their JSON. */
  readonly known: ReadonlyMap<string, boolean>;
  /** In each of these lists, one condition does not hold. */
  readonly never: readonly (readonly Condition[])[];
}

const NO_FACTS: ConditionFacts = { known: new Map(), never: [] };

function factsOf(before: readonly Arm[], when: Condition): ConditionFacts {
  return withFact(
    before.reduce((facts, arm) => withFact(facts, arm.when, false), NO_FACTS),
    when,
    true,
  );
}

function withFact({ known, never }: ConditionFacts, condition: Condition, value: boolean): ConditionFacts {
  const facts = { known: new Map(known).set(JSON.stringify(condition), value), never };
  if (condition.kind === 'not') return withFact(facts, condition.of, !value);
  if (condition.kind === 'all' && !value) return { ...facts, never: [...never, condition.of] };
  if (condition.kind !== (value ? 'all' : 'any')) return facts;
  return condition.of.reduce((found: ConditionFacts, each) => withFact(found, each, value), facts);
}

function assuming(node: Node, facts: ConditionFacts): Node {
  if (node.kind !== 'choice') return node;
  const arms = node.arms.map((arm) => {
    const when = simplified(assumed(arm.when, facts));
    const inside = withFact(facts, arm.when, true);
    return { when, body: arm.body.map((each) => assuming(each, inside)) };
  });
  return { ...node, arms };
}

function assumed(condition: Condition, facts: ConditionFacts): Condition {
  const known = valueOf(condition, facts);
  if (known !== undefined) return { kind: 'constant', value: known };
  if (condition.kind === 'not') return { kind: 'not', of: assumed(condition.of, facts) };
  if (condition.kind === 'all' || condition.kind === 'any')
    return { kind: condition.kind, of: condition.of.map((each) => assumed(each, facts)) };
  return condition;
}

function valueOf(condition: Condition, { known, never }: ConditionFacts): boolean | undefined {
  const key = JSON.stringify(condition);
  const isNever = never.some((list) =>
    list.every((each) => JSON.stringify(each) === key || known.get(JSON.stringify(each)) === true),
  );
  return known.get(key) ?? (isNever ? false : undefined);
}
