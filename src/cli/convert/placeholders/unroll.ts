// Loops over lists that the template itself contains: `{% for x in ['a', 'b'] %} … {% endfor %}` becomes its passes.
import { readExpression, type TemplateExpression } from './expression.ts';

/** A text that is put together from parts of another. */
export interface Unrolled {
  readonly text: string;
  /** The offset in the other text. */
  readonly sourceOffset: (offset: number) => number;
}

const TAG =
  /\{%-?\s*(?:(?<set>set)\s+(?<name>\w+)\s*=\s*(?<value>\[[^%]*?\]|\([^%]*?\))|(?<for>for)\s+(?<item>\w+)\s+in\s+(?<list>[^%]+?)|(?<open>if|for|macro|call|filter|raw|with|while|snapshot|set(?=[^=]*-?%\}))\b[^%]*|(?<close>end\w*))\s*-?%\}/g;
/** Most passes of all loops, and most characters that they produce. */
const MAX_PASSES = 200;
const MAX_LENGTH = 200_000;
const MAX_LOOPS = 50;

/** One change of the text after the other; undefined if none changes it. */
export function chained(
  text: string,
  changes: readonly ((text: string) => Unrolled | undefined)[],
): Unrolled | undefined {
  return changes.reduce<Unrolled | undefined>((before, change) => {
    const next = change(before?.text ?? text);
    if (before === undefined || next === undefined) return next ?? before;
    return { text: next.text, sourceOffset: (offset) => before.sourceOffset(next.sourceOffset(offset)) };
  }, undefined);
}

/** Undefined if the text has no such loops. */
export function unrolled(text: string): Unrolled | undefined {
  let current: Unrolled = { text, sourceOffset: (offset) => offset };
  let isChanged = false;
  for (let count = 0; count < MAX_LOOPS; count++) {
    const loop = firstLoop(current.text);
    if (loop === undefined) break;
    if ((loop.bodyEnd - loop.bodyStart) * loop.values.length > MAX_LENGTH) return undefined;
    current = withoutLoop(current, loop);
    isChanged = true;
    if (current.text.length > MAX_LENGTH) return undefined;
  }
  return isChanged ? current : undefined;
}

interface Loop {
  readonly start: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
  readonly end: number;
  readonly item: string;
  readonly values: readonly (string | number)[];
}

/** The first loop over constants; loops inside are later ones of what it becomes. */
function firstLoop(text: string): Loop | undefined {
  const lists = new Map<string, readonly (string | number)[]>();
  const open: (Omit<Loop, 'bodyEnd' | 'end'> | undefined)[] = [];
  for (const match of text.matchAll(TAG)) {
    const { set, name = '', value = '', for: isFor, item = '', list = '', close } = match.groups ?? {};
    const end = match.index + match[0].length;
    if (set !== undefined) {
      const values = constants(readExpression(value), lists);
      if (values !== undefined && open.length === 0) lists.set(name, values);
      else lists.delete(name);
    } else if (isFor !== undefined) {
      const values = constants(readExpression(list), lists);
      open.push(values && { start: match.index, bodyStart: end, item, values });
    } else if (close !== undefined) {
      const loop = open.pop();
      if (loop !== undefined && !open.some((outer) => outer !== undefined))
        return { ...loop, bodyEnd: match.index, end };
    } else open.push(undefined);
  }
  return undefined;
}

function constants(
  expression: TemplateExpression | undefined,
  lists: ReadonlyMap<string, readonly (string | number)[]>,
): readonly (string | number)[] | undefined {
  if (expression?.kind === 'name') return lists.get(expression.name);
  const range = rangeOf(expression);
  if (range !== undefined) return range;
  if (expression?.kind !== 'list' || expression.items.length > MAX_PASSES) return undefined;
  const values = expression.items.flatMap((item) =>
    item.kind === 'literal' && (typeof item.value === 'string' || typeof item.value === 'number')
      ? [item.value]
      : [],
  );
  return values.length === expression.items.length ? values : undefined;
}

/** `range(3)` and `range(1, 4)`. */
function rangeOf(expression: TemplateExpression | undefined): readonly number[] | undefined {
  if (expression?.kind !== 'call' || expression.of.kind !== 'name' || expression.of.name !== 'range')
    return undefined;
  const bounds = expression.args.map((arg) => (arg.kind === 'literal' ? Number(arg.value) : Number.NaN));
  const [from, to] = bounds.length === 1 ? [0, bounds[0]] : bounds;
  if (bounds.length > 2 || from === undefined || to === undefined) return undefined;
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || to - from > MAX_PASSES) return undefined;
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

/** Each pass sets the loop's variables, and has its text. */
function withoutLoop(
  { text, sourceOffset }: Unrolled,
  { start, bodyStart, bodyEnd, end, item, values }: Loop,
): Unrolled {
  // After a loop inside, the variables are again those of this pass.
  const ends = [bodyStart, ...innerEnds(text.slice(bodyStart, bodyEnd)).map((at) => bodyStart + at), bodyEnd];
  const passes = values.map((value, index) => {
    const isLast = index === values.length - 1;
    const loop = { index: index + 1, index0: index, first: index === 0, last: isLast, length: values.length };
    const set = [
      [item, JSON.stringify(value)],
      ...Object.entries(loop).map(([key, each]) => [`loop.${key}`, String(each)]),
    ];
    return set.map(([name, written]) => `{% set ${name} = ${written} %}`).join('');
  });
  const pieces = passes.flatMap((set) =>
    ends.slice(1).flatMap((to, index) => [
      { text: set, at: start, isCopied: false },
      { text: text.slice(ends[index], to), at: ends[index] ?? 0, isCopied: true },
    ]),
  );
  return composed(
    [
      { text: text.slice(0, start), at: 0, isCopied: true },
      ...pieces,
      { text: text.slice(end), at: end, isCopied: true },
    ],
    sourceOffset,
  );
}

/** The offsets after the loops of a body. */
function innerEnds(body: string): readonly number[] {
  const ends: number[] = [];
  const open: boolean[] = [];
  for (const match of body.matchAll(TAG)) {
    const { for: isFor, open: tag, close } = match.groups ?? {};
    if (isFor !== undefined || tag !== undefined) open.push(isFor !== undefined || tag === 'for');
    else if (close !== undefined && open.pop() === true) ends.push(match.index + match[0].length);
  }
  return ends;
}

/** A text of pieces, each copied from an offset or in its place. */
export function composed(
  pieces: readonly { readonly text: string; readonly at: number; readonly isCopied: boolean }[],
  inner: Unrolled['sourceOffset'] = (offset) => offset,
): Unrolled {
  const text = pieces.map((piece) => piece.text).join('');
  return {
    text,
    sourceOffset: (offset) => {
      let passed = 0;
      for (const { text: piece, at, isCopied } of pieces) {
        if (offset < passed + piece.length) return inner(isCopied ? at + offset - passed : at);
        passed += piece.length;
      }
      const last = pieces.at(-1);
      return inner(last === undefined ? 0 : last.at + last.text.length);
    },
  };
}
