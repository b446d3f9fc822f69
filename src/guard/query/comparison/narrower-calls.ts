// Pairs of calls of which no row passes only the first: by the strings that pass them, and by the elements of arrays.
import type { Condition } from './evaluation.ts';
import { elementsOf, OPPOSITE, plainForm } from './plain-form.ts';
import { typeOf } from '../confinement/types.ts';
import { plainTypeOf } from '../../../sql/types/traits.ts';
import { childrenOf, type Expression, type FunctionExpression } from '../tree/nodes.ts';

export type Narrower = readonly [small: Condition, large: Condition];

/** Conditions that are compared in pairs. */
const MAX_CALLS = 40;

/** The pairs among the calls in some conditions. `follows` is whether each element that passes the first condition passes the second. */
export function narrowerCalls(
  conditions: readonly Condition[],
  follows: (small: Condition, large: Condition) => boolean,
): readonly Narrower[] {
  const all = conditions.flatMap(callsIn).map(describe).slice(0, MAX_CALLS);
  return all.flatMap((small) =>
    all.flatMap((large): readonly Narrower[] => {
      if (small === large || small.value !== large.value) return [];
      const isNarrower = areTextsWithin(small, large) || areElementsWithin(small, large, follows);
      return isNarrower ? [[small.condition, large.condition]] : [];
    }),
  );
}

type CallShape = readonly [call: FunctionExpression, texts: Condition[1]];

/** The calls that AND, OR and the like combine, without NOT; IN as equalities. */
function callsIn([expression, texts]: Condition): readonly CallShape[] {
  const plain = expression.kind === 'function' ? plainForm(expression) : expression;
  if (plain.kind !== 'function') return [];
  const opposite = OPPOSITE.get(plain.name);
  const call = opposite === undefined ? plain : { ...plain, name: opposite };
  if (/^(?:and|or|not|xor|if|multiIf|ifNull|coalesce)$/.test(call.name))
    return childrenOf(call).flatMap((each) => callsIn([each, texts]));
  const [left, set] = call.arguments;
  const elements = call.name === 'in' && set !== undefined ? elementsOf(set) : undefined;
  if (left !== undefined && elements !== undefined)
    return elements.map((each): CallShape => {
      const element: Expression =
        typeof each === 'string' ? { kind: 'constant', text: each, type: '' } : each;
      return [{ ...call, name: 'equals', arguments: [left, element] }, texts];
    });
  return [[call.name === 'empty' ? { ...call, name: 'notEmpty' } : call, texts]];
}

interface DescribedCall {
  readonly condition: readonly [call: FunctionExpression, texts: Condition[1]];
  /** These are the texts of what the call is about: a string, or arrays. */
  readonly value: string;
  readonly strings: Strings | undefined;
}

function describe([call, texts]: CallShape): DescribedCall {
  const [strings, value] = stringsOf(call) ?? [];
  if (value !== undefined) return { condition: [call, texts], value: texts.expression(value), strings };
  const [first, ...rest] = call.arguments;
  const arrays = first?.kind === 'lambda' ? rest : call.arguments.slice(0, 1);
  return { condition: [call, texts], value: arrays.map(texts.expression).join('\n'), strings: undefined };
}

/** `%` is any text and `_` any character, as in LIKE. */
interface Strings {
  readonly patterns: readonly string[];
  readonly isCaseless: boolean;
}

/** LIKE compares such texts character by character; they have none of its escapes. */
const PLAIN = /^'([ -&(-[\]-~]{0,200})'$/;

/** The strings that pass a call, and the value that they are compared with. */
function stringsOf({
  name,
  arguments: list,
}: FunctionExpression): readonly [Strings, Expression] | undefined {
  const [value, constant] = name === 'equals' && list[0]?.kind === 'constant' ? list.toReversed() : list;
  const type = value === undefined ? '' : plainTypeOf(typeOf(value)).name;
  if (value === undefined || (type !== 'String' && type !== 'FixedString')) return undefined;
  if (name === 'notEmpty') return [{ patterns: ['_%'], isCaseless: false }, value];
  const text = constant?.kind === 'constant' ? PLAIN.exec(constant.text)?.[1] : undefined;
  const patterns = text === undefined ? undefined : patternsOf(name, text);
  // The zeros at the end of a FixedString are characters for LIKE, and none for an equality.
  if (type === 'FixedString' && patterns?.every((each) => /^[^%_]+%$/.test(each)) !== true) return undefined;
  return patterns && [{ patterns, isCaseless: name === 'ilike' }, value];
}

function patternsOf(name: string, text: string): readonly string[] | undefined {
  if (name === 'like' || name === 'ilike') return [name === 'ilike' ? text.toLowerCase() : text];
  if (name === 'match') return patternsOfExpression(text);
  if (/[%_]/.test(text)) return undefined;
  if (name === 'startsWith') return [`${text}%`];
  if (name === 'endsWith') return [`%${text}`];
  return name === 'equals' ? [text] : undefined;
}

/** A regular expression of plain text, or of several in parentheses, perhaps with anchors. */
function patternsOfExpression(text: string): readonly string[] | undefined {
  const parts = /^(\^?)(?:\((?:\?:)?([A-Za-z\d @,:;/|-]+)\)|([A-Za-z\d @,:;/-]+))(\$?)$/.exec(text);
  if (parts === null) return undefined;
  const [, start, several, one = '', end] = parts;
  const words = several?.split('|') ?? [one];
  return words.map((each) => `${start === '' ? '%' : ''}${each}${end === '' ? '%' : ''}`);
}

function areTextsWithin({ strings: small }: DescribedCall, { strings: large }: DescribedCall): boolean {
  if (small === undefined || large === undefined || (small.isCaseless && !large.isCaseless)) return false;
  return small.patterns.every((pattern) =>
    large.patterns.some((each) => covers(each, large.isCaseless ? pattern.toLowerCase() : pattern)),
  );
}

/** Returns whether a pattern matches all strings that another one matches: of that one, `%` is a character that only `%` matches. */
function covers(large: string, small: string): boolean {
  let reached = withSkipped(large, [0]);
  for (const character of small) {
    const next = [...reached].flatMap((at) => {
      const here = large[at];
      if (here === '%') return at;
      return here === character || (here === '_' && character !== '%') ? at + 1 : [];
    });
    reached = withSkipped(large, next);
  }
  return reached.has(large.length);
}

/** Positions in a pattern, and those after each `%` there, which may match no text. */
function withSkipped(pattern: string, positions: readonly number[]): ReadonlySet<number> {
  const found = new Set(positions);
  for (const at of found) if (pattern[at] === '%') found.add(at + 1); // the loop visits what it adds
  return found;
}

function areElementsWithin(
  { condition: [small, texts] }: DescribedCall,
  { condition: [large, otherTexts] }: DescribedCall,
  follows: (small: Condition, large: Condition) => boolean,
): boolean {
  if (large.name === 'notEmpty') return small.name === 'has' || small.name === 'arrayExists';
  if (large.name !== 'arrayExists' && large.name !== 'arrayAll') return false;
  const [own, other] = [small.arguments[0], large.arguments[0]];
  if (own?.kind !== 'lambda' || other?.kind !== 'lambda' || small.name !== large.name) return false;
  for (const [each, scope] of [[own, texts], [other, otherTexts]] as const) scope.expression(each); // names its parameters
  return follows([own.body, texts], [other.body, otherTexts]);
} // prettier-ignore
