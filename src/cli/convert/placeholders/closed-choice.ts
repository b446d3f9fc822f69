// Parameters that choose SQL by name: columns, tables and alternatives for each of a known list of values.
import type { RenderedArm, Writer } from './arm.ts';
import { textOf } from './output.ts';
import { requiresValue } from './conditions.ts';
import type { Condition, Item, Value } from './nodes.ts';
import { KEYWORDS } from '../../../sql/clickhouse/tree/keywords.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import { writeAlternatives } from './optional-part.ts';
import {
  demanded,
  emit,
  forkSink,
  lose,
  note,
  renderUse,
  type Rendering,
  type Sink,
  type Span,
} from './rendering.ts';
import { hasClause, outlineOf, type Outline } from './sql-outline.ts';

/** What a person writes for a name that depends on a value. */
export const CHOICES = 'Declare the parameter with choices: names, each with its SQL';

/** As in `schemas/endpoint.schema.json`. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
const MAX_CHOICES = 50;
/** Most alternatives of a name that the template does not list: no caller reads longer ones. */
const MAX_ALTERNATIVES = 8;

/** The names of a choice; undefined if it cannot be one. */
function namesOf(value: Value, rendering: Rendering): readonly string[] | undefined {
  return rendering.notChoices.has(value.name) ? undefined : listedNames(value, rendering);
}

/** The values that callers can send, as names; undefined if the template does not list them, and no others are known. */
function listedNames(
  value: Value,
  { source, demands }: Rendering,
  known?: readonly string[],
): readonly string[] | undefined {
  if (source.dialect !== 'clickhouse' || value.isList === true) return undefined;
  const listed = demanded(value, demands).enum?.map(String);
  const written = value.type === 'Bool' ? ['true', 'false', '1', '0'] : (listed ?? known);
  const names = [...new Set(written)];
  return names.length === 0 || names.length > MAX_CHOICES || !names.every((name) => NAME.test(name))
    ? undefined
    : names;
}

/** A column or table by a value: a choice if its values are listed, or a part for each if the value is used otherwise, too. */
export function renderName(
  item: Extract<Item, { kind: 'name' }>,
  span: Span,
  sink: Sink,
  rendering: Rendering,
): void {
  const names = listedNames(item.value, rendering, item.known);
  const fallback = item.value.default;
  if (item.isList === true && names !== undefined) note(rendering, span, ONE_NAME);
  const isListed = listedNames(item.value, rendering) !== undefined;
  const isMixed =
    names !== undefined &&
    rendering.notChoices.has(item.value.name) &&
    (isListed || names.length <= MAX_ALTERNATIVES);
  if (isMixed && writeNames(names, item.value, { span, sink, rendering })) return;
  // Its own default would be a value, and not an absent one, for the conditions that ask for it.
  const isAsked = rendering.withDefaultsInPlace.has(item.value.name) && !sink.guards.has(item.value.name);
  const isDefault = fallback === undefined || (!isAsked && names?.includes(String(fallback)) === true);
  if (
    names === undefined ||
    rendering.notChoices.has(item.value.name) ||
    (!isDefault && !sink.guards.has(item.value.name))
  ) {
    const message = `${item.what} makes a name from a value: parameters are values`;
    lose({ message, hint: CHOICES }, span, sink, rendering);
    return;
  }
  const choices = Object.fromEntries(names.map((name) => [name, nameOf(name)]));
  renderUse({ ...item.value, type: 'String', choices }, span, sink, { rendering });
}

const ONE_NAME = {
  severity: 'differs',
  message: 'A list of several names is rejected: calls send one',
  hint: 'Add a choice for each list of names that is used',
} as const;

function nameOf(name: string): string {
  const isPlain = /^[a-z_]\w*$/i.test(name) && !KEYWORDS.has(name.toUpperCase());
  return isPlain ? name : quoteIdentifier(name);
}

/** `{% if defined(x) %} {{ column(x) }} {% else %} at {% end %}`: a choice whose default is the other alternative. */
export function writeDefaultName(arms: readonly RenderedArm[], { sink, span, rendering }: Writer): boolean {
  const [first, other] = arms;
  if (first === undefined || other === undefined || arms.length > 2 || other.when.kind !== 'constant')
    return false;
  const [found, ...more] = first.sink.fragments.filter(({ text }) => text.trim() !== '');
  const value = found?.use?.value;
  if (value?.choices === undefined || more.length > 0) return false;
  const asked = simpleValues(first.when);
  if (asked === undefined || asked.some(({ name }) => name !== value.name)) return false;
  const written = fragmentOf(other);
  const fallback = Object.entries(value.choices).find(([, sql]) => sql === written)?.[0];
  if (fallback === undefined || !requiresValue(first.when, value.name)) return false;
  // Elsewhere, the value could be one that is not sent.
  const { text } = rendering.source;
  const uses = [...text.matchAll(/\w+/g)].filter(([word]) => word === value.name);
  if (uses.some(({ index }) => index < span.start || index >= span.end)) return false;
  const { required: _, ...rest } = value;
  renderUse({ ...rest, default: fallback, hasOneDefault: true }, span, sink, { rendering });
  return true;
}

function writeNames(names: readonly string[], written: Value, writer: Writer): boolean {
  const value: Value = { ...written, type: 'String', enum: names };
  const { default: fallback, required } = demanded(value, writer.rendering.demands);
  const isGiven = required === true || writer.sink.guards.has(value.name);
  if (!isGiven && (fallback === undefined || !names.includes(String(fallback)))) return false;
  const arms = names.map((name): RenderedArm => {
    const sink = forkSink(writer.sink);
    emit(sink, { text: nameOf(name), at: writer.span.start, isCopied: false });
    const when: Condition = { kind: 'compare', operator: '=', value, right: name };
    return { when, sink, outline: outlineOf(nameOf(name), writer.rendering.source.dialect) };
  });
  return writeAlternatives(arms, writer);
}

/** Alternatives by comparisons of one value, if the template says which there are. */
export function writeChoice(arms: readonly RenderedArm[], { sink, span, rendering }: Writer): boolean {
  const value = comparedValue(arms);
  const names = value && namesOf(value, rendering);
  if (value === undefined || names === undefined) return false;
  const { clause, isItem, last } = sink.position.expectation();
  const isTable = last === 'FROM' || last === 'JOIN';
  if (!isTable && !(isItem && clause !== 'WITH')) return false;
  const ends = new Set(arms.map(({ outline }) => (outline.tokens.at(-1) === ',' ? ',' : '')));
  const [end = ''] = ends;
  if (ends.size > 1 || !arms.every(({ outline }) => isFragment(outline, end))) return false;
  const fragments = arms.flatMap((arm) => arm.sink.fragments);
  if (fragments.some(({ text, use }) => use?.value.choices !== undefined || text.startsWith('/* if ')))
    return false;
  const chosen = names.map((name) => [name, arms.find(({ when }) => holds(when, name))] as const);
  const { required, default: written } = demanded(value, rendering.demands);
  const absent = arms.find(({ when }) => holds(when, written === undefined ? undefined : String(written)));
  const isSame = (arm: RenderedArm | undefined): boolean =>
    arm !== undefined && absent !== undefined && fragmentOf(arm) === fragmentOf(absent);
  const fallback = chosen.find(
    ([name, arm]) => (written === undefined || name === String(written)) && isSame(arm),
  )?.[0];
  if (chosen.some(([, arm]) => arm === undefined) || (required !== true && fallback === undefined))
    return false;
  const choices = Object.fromEntries(
    chosen.flatMap(([name, arm]) => (arm === undefined ? [] : [[name, fragmentOf(arm)]])),
  );
  // The parameters of the alternatives, which are not in this text.
  for (const { at, use } of fragments)
    if (use !== undefined) emit(sink, { text: '', at, isCopied: false, use });
  const { enum: _, default: __, ...rest } = value;
  const own: Value = {
    ...rest,
    type: 'String',
    choices,
    ...(required === true ? { required } : { default: fallback ?? '' }),
  };
  renderUse({ ...own, hasOneDefault: true }, span, sink, { rendering });
  emit(sink, { text: `${end} `, at: span.start, isCopied: false });
  return true;
}

function fragmentOf({ sink }: RenderedArm): string {
  return textOf(sink.fragments).trim().replace(/\s*,$/, '');
}

/** A list of expressions, with a comma after it if the others have one. */
function isFragment({ tokens, isBalanced }: Outline, end: string): boolean {
  return isBalanced && tokens.length > end.length && !hasClause(tokens);
}

/** The one value that all conditions ask for; undefined if there are more, or other conditions. */
function comparedValue(arms: readonly RenderedArm[]): Value | undefined {
  const values: Value[] = [];
  for (const { when } of arms) {
    const found = simpleValues(when);
    if (found === undefined) return undefined;
    values.push(...found);
  }
  const [first] = values;
  return values.every(({ name }) => name === first?.name) ? first : undefined;
}

function simpleValues(when: Condition): readonly Value[] | undefined {
  switch (when.kind) {
    case 'constant':
      return [];
    case 'given':
      return [when.value];
    case 'truthy':
      return when.value.type === 'Bool' ? [when.value] : undefined;
    case 'compare':
      return when.operator === '=' && (typeof when.right === 'boolean') === (when.value.type === 'Bool')
        ? [when.value]
        : undefined;
    case 'not':
      return simpleValues(when.of);
    case 'all':
    case 'any': {
      const each = when.of.map(simpleValues);
      return each.includes(undefined) ? undefined : each.flatMap((values) => values ?? []);
    }
    case 'computed':
      return undefined;
  }
}

/** Returns whether the condition holds for a value; undefined: none is sent. */
function holds(when: Condition, sent: string | undefined): boolean {
  switch (when.kind) {
    case 'constant':
      return when.value;
    case 'given':
      return sent !== undefined;
    case 'truthy':
      return sent !== undefined && isTrue(sent);
    case 'compare':
      return typeof when.right === 'boolean'
        ? sent !== undefined && isTrue(sent) === when.right
        : typeof when.right !== 'object' && sent === String(when.right);
    case 'not':
      return !holds(when.of, sent);
    case 'all':
      return when.of.every((each) => holds(each, sent));
    case 'any':
      return when.of.some((each) => holds(each, sent));
    case 'computed':
      return false;
  }
}

function isTrue(sent: string): boolean {
  return sent === 'true' || sent === '1';
}
