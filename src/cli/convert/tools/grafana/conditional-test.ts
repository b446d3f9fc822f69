// `$conditionalTest(AND a = $x, $x)` of Altinity's data source: its predicate is there unless the variable is All or empty.
import { valueOf, type Condition, type Item } from '../../placeholders/nodes.ts';
import type { Declaration } from '../../placeholders/template.ts';
import { argumentsOf, closing, type Argument } from './arguments.ts';

/** A tag in place of a part of the call. */
export interface ConditionalMark {
  readonly end: number;
  readonly item: Item;
}

const CALL = /\$conditionalTest\s*(?=\()/g;

/** The tags of all calls in a text, by the offset at which they begin. */
export function conditionalMarks(
  text: string,
  byName: ReadonlyMap<string, Declaration>,
): ReadonlyMap<number, ConditionalMark> {
  const marks = new Map<number, ConditionalMark>();
  for (const { 0: call, index } of text.matchAll(CALL)) {
    const end = closing(text, index + call.length);
    if (end === undefined) continue;
    const args = argumentsOf(text, { start: index + call.length, end });
    const [first, variable] = [args[0], args.at(-1)];
    const when = variable && conditionOf(variable, byName);
    if (first === undefined || variable === undefined || args.length < 2 || when === undefined) continue;
    const other = args.length === 3 ? args[1] : undefined;
    const last = other ?? args.at(-2) ?? first;
    marks.set(index, { end: first.start, item: { kind: 'open', when } });
    if (other !== undefined) marks.set(first.end, { end: other.start, item: { kind: 'else' } });
    marks.set(last.end, { end, item: { kind: 'close' } });
  }
  return marks;
}

/** Returns whether the variable has a value; undefined if it is none that calls can send. */
function conditionOf({ text }: Argument, byName: ReadonlyMap<string, Declaration>): Condition | undefined {
  const name = /^\$(?:\{(\w+)(?::\w+)?\}|(\w+))$/.exec(text);
  const declaration = byName.get(name?.[1] ?? name?.[2] ?? '');
  if (declaration === undefined || declaration.reason !== undefined || declaration.text !== undefined)
    return undefined;
  const canBeAbsent = declaration.isAllAllowed === true || declaration.required === false;
  return canBeAbsent ? { kind: 'given', value: valueOf(declaration) } : { kind: 'constant', value: true };
}
