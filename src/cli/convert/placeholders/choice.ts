// Parts of a query that depend on conditions, as conditions in the query: `[[AND a = {{x}}]]` becomes `AND (:x IS NULL OR (a = :x))`.
import { exclusive, type RenderedArm, type Writer } from './arm.ts';
import { writeChoice, writeDefaultName } from './closed-choice.ts';
import { conditionParts, givenValues, negated, requiresValue, simplified } from './conditions.ts';
import { flattened, isDemand, isRejection } from './demands.ts';
import { readItems, sliceFragments, type ItemList, writeMembership } from './item-list.ts';
import { ALWAYS, valuesOf, type Condition, type Node, type Part, type Value } from './nodes.ts';
import { writePart, writeParts } from './optional-part.ts';
import { writeOrder, writeUnion } from './alternatives.ts';
import { textOf, type Fragment } from './output.ts';
import { mixedTimes } from './time-kinds.ts';
import { emit, forkSink, lose, rejected, renderParts, type Rendering, type Sink } from './rendering.ts';
import { hasBareAlias, hasClause, isFilter, outlineOf, precedesCondition } from './sql-outline.ts';

type ChoiceNode = Extract<Node, { kind: 'choice' }>;

/** Metabase's `[[ … ]]`: used if all its values are given. */
export function renderOptional(
  node: Extract<Node, { kind: 'optional' }>,
  sink: Sink,
  rendering: Rendering,
): void {
  const conditions = node.body.flatMap((each): Condition[] => {
    const items =
      each.kind === 'item' ? [each.item] : each.kind === 'string' ? each.parts.flatMap(itemOf) : [];
    return items.flatMap((item) => {
      const values = valuesOf(item).filter((value) => value.default === undefined);
      const given = values.map((value): Condition => ({ kind: 'given', value }));
      return item.kind === 'sql' && item.isOptional === true ? [{ kind: 'any' as const, of: given }] : given;
    });
  });
  const filters = node.body.filter(
    (each) => each.kind === 'item' && each.item.kind === 'sql' && each.item.isOptional,
  );
  if (filters.length === 1 && conditions.length === 1) return rendering.render(node.body, sink); // absent: its condition holds
  const arms = [{ when: { kind: 'all' as const, of: unique(conditions) }, body: node.body }];
  renderArms(arms, { span: node, sink, rendering });
}

function itemOf(node: Node) {
  return node.kind === 'item' ? [node.item] : [];
}

function unique(conditions: readonly Condition[]): readonly Condition[] {
  return [...new Map(conditions.map((each) => [JSON.stringify(each), each])).values()];
}

/** `{% if … %}`. */
export function renderChoice(
  { arms, isQuery, start, end }: ChoiceNode,
  sink: Sink,
  rendering: Rendering,
): void {
  renderArms(arms, { span: { start, end }, sink, rendering, isQuery });
}

function renderArms(all: ChoiceNode['arms'], writer: Writer): void {
  const { sink, rendering } = writer;
  const arms = reachable(all, writer);
  const [first] = arms;
  if (first === undefined) return;
  if (arms.length === 1 && first.when.kind === 'constant') return rendering.render(first.body, sink);
  const rendered = arms.map(({ when, body }): RenderedArm => {
    const guards = new Set(sink.guards);
    for (const node of body)
      for (const { name } of namesIn(node)) if (requiresValue(when, name)) guards.add(name);
    const inner = forkSink(sink, guards);
    rendering.render(body, inner);
    return { when, sink: inner, outline: outlineOf(textOf(inner.fragments), rendering.source.dialect) };
  });
  writeArms(rendered, writer);
}

/** They are in the order of preference; the last ones change types, and say so. */
const FORMS: readonly ((arms: readonly RenderedArm[], writer: Writer) => boolean)[] = [
  writeDefaultName,
  writePart,
  writeLimit,
  writeConditions,
  writeMembership,
  writeChoice,
  writeOrder,
  writeValue,
  writeItems,
  writeParts,
  writeUnion,
  (arms, writer) => writeValue(arms, { ...writer, mixesTimes: true }),
  (arms, writer) => writeItems(arms, { ...writer, mixesTimes: true }),
  (arms, writer) => writeUnion(arms, { ...writer, mixesTimes: true }),
];

function writeArms(rendered: readonly RenderedArm[], writer: Writer): void {
  if (rendered.every(({ outline }) => outline.tokens.length === 0)) return;
  const arms = withoutKeyword(withoutRepetition(rendered), writer);
  const isPart = writer.rendering.source.prefersParts === true && writeParts(arms, writer);
  if (isPart || FORMS.some((write) => write(arms, writer))) return;
  for (const fragment of arms[0]?.sink.fragments ?? []) emit(writer.sink, fragment);
  writer.rendering.failed.add(writer.span.start);
  const message = 'A part of the query that depends on a condition is not supported here';
  lose({ message, hint: CHOICES_OR_PARTS, isPlaced: false }, writer.span, writer.sink, writer.rendering);
}

const CHOICES_OR_PARTS =
  'Write it as an optional part, /* if @name */ … /* end */, or as a parameter with choices';

/** Alternatives of the same SQL one after the other are one. */
function withoutRepetition(arms: readonly RenderedArm[]): readonly RenderedArm[] {
  const found: RenderedArm[] = [];
  for (const arm of arms) {
    const last = found.at(-1);
    const isSame =
      last !== undefined && textOf(last.sink.fragments).trim() === textOf(arm.sink.fragments).trim();
    if (isSame)
      found[found.length - 1] = { ...last, when: simplified({ kind: 'any', of: [last.when, arm.when] }) };
    else found.push(arm);
  }
  return found.length === 1 && arms.length > 1 ? arms : found;
}

const KEYWORDS = /^(?:\s|--[^\n]*\n)*(order\s+by\b|group\s+by\b|limit\b|from\b|,)/i;

/** Alternatives that begin with the same keyword: it is written, and they begin after it. */
function withoutKeyword(arms: readonly RenderedArm[], writer: Writer): readonly RenderedArm[] {
  const last = arms.at(-1);
  if (arms.length < 2 || last?.when.kind !== 'constant') return arms;
  const keywords = arms.map(({ sink }) => KEYWORDS.exec(textOf(sink.fragments).slice(0, 500))?.[1]);
  const plain = new Set(keywords.map((keyword) => keyword?.toUpperCase().replace(/\s+/, ' ')));
  const [keyword] = plain;
  if (plain.size > 1 || keyword === undefined) return arms;
  renderParts([` ${keyword} `], writer.span, writer.sink, writer.rendering);
  return arms.map((arm) => {
    const text = textOf(arm.sink.fragments);
    const start = KEYWORDS.exec(text.slice(0, 500))?.[0].length ?? 0;
    const fragments = [...sliceFragments(arm.sink.fragments, start, text.length)];
    const sink = { ...arm.sink, fragments };
    return { ...arm, sink, outline: outlineOf(textOf(fragments), writer.rendering.source.dialect) };
  });
}

/** Without alternatives that are never used, or for calls that are rejected. */
function reachable(arms: ChoiceNode['arms'], { span, sink, rendering }: Writer): ChoiceNode['arms'] {
  const found: ChoiceNode['arms'][number][] = [];
  const given = new Set([...sink.guards, ...rendering.demands.required]);
  const flat = arms.flatMap((arm) => flattened(arm, rendering.source.text));
  const whole = exclusive(flat);
  for (const [index, arm] of flat.entries()) {
    const { when, body } = arm;
    const condition = simplified(when, given);
    if (condition.kind === 'constant' && !condition.value) continue;
    if (isRejection(rendering.source.text, arm)) {
      const isExpressed =
        sink.isConditional !== true && isDemand(whole[index]?.when ?? when, rendering.demands);
      if (!isExpressed) rejected({ name: 'error' }, span, sink, rendering);
      continue;
    }
    found.push({ when: condition, body });
    if (condition.kind === 'constant') break;
  }
  return found;
}

function namesIn(node: Node): readonly { readonly name: string }[] {
  if (node.kind === 'item') return valuesOf(node.item);
  if (node.kind === 'string') return node.parts.flatMap(namesIn);
  if (node.kind === 'optional') return node.body.flatMap(namesIn);
  return node.kind === 'choice' ? node.arms.flatMap(({ body }) => body.flatMap(namesIn)) : [];
}

/** `LIMIT :n` alone: without the value there is no limit, whatever its default. */
function writeLimit(arms: readonly RenderedArm[], { sink, rendering }: Writer): boolean {
  const [arm] = arms;
  if (rendering.source.dialect === 'clickhouse' || arm === undefined) return false;
  if (arms.length > 1 || givenValues(arm.when) === undefined) return false;
  const shape = arm.outline.tokens.map((token) => token.replace(/^[:@].*/, '?')).join(' ');
  if (!/^(LIMIT \?|OFFSET (\?|\(\))|LIMIT \? OFFSET (\?|\(\)))$/.test(shape)) return false;
  let isLimit = shape.startsWith('LIMIT');
  for (const fragment of arm.sink.fragments) {
    const { use } = fragment;
    if (use === undefined) emit(sink, fragment);
    else if (isLimit) {
      isLimit = false;
      const standIn = `optional_limit_${rendering.limits.size + 1}`;
      rendering.limits.set(standIn, use.name);
      const { default: _, ...value } = use.value;
      emit(sink, { ...fragment, text: `:${standIn}`, use: { ...use, value: { ...value, type: 'UInt64' } } });
    } else {
      const kept: Value = {
        ...use.value,
        default: use.value.default ?? 0,
        type: 'UInt64',
        hasOneDefault: true,
      };
      emit(sink, { ...fragment, use: { ...use, value: kept } });
    }
  }
  return true;
}

function isLeading(word: string): boolean {
  return word === 'AND' || word === 'OR' || (isFilter(word) && word !== 'ON');
}

/** Alternatives that are conditions, with the same keyword before or after them. */
function writeConditions(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { sink, span, rendering } = writer;
  const present = arms.filter(({ outline }) => outline.tokens.length > 0);
  const firsts = new Set(present.map(({ outline }) => outline.tokens[0] ?? ''));
  const lasts = new Set(present.map(({ outline }) => outline.tokens.at(-1) ?? ''));
  const [leading = ''] = firsts.size === 1 ? firsts : [];
  const [last = ''] = lasts.size === 1 ? lasts : [];
  const keyword = isLeading(leading) ? leading : '';
  const trailing = last === 'AND' || last === 'OR' ? last : '';
  const { last: before, value } = sink.position.expectation();
  const isCondition = precedesCondition(before);
  const isInPlace = keyword === '' && isCondition && value;
  if (keyword === '' && trailing === '' && !isInPlace) return false;
  const bodies = arms.map((arm) => bodyOf(arm, keyword, trailing));
  if (bodies.some((body) => body === undefined)) return false;
  const isOr = keyword === 'OR' || (keyword === '' && trailing === 'OR');
  const add = (parts: readonly Part[]): void => renderParts(parts, span, sink, rendering);
  add([keyword === '' ? '' : ` ${keyword} `, '(']);
  for (const [index, { when }] of exclusive(arms).entries()) {
    if (index > 0) add([' OR ']);
    writeArm({ when, body: bodies[index], isOnly: arms.length === 1 && !isOr }, writer);
  }
  const none = simplified({ kind: 'all', of: arms.map(({ when }) => negated(when)) });
  if (!isOr && arms.length > 1 && none.kind !== 'constant') add([' OR ', ...conditionParts(none)]);
  add([')', trailing === '' ? '' : ` ${trailing} `]);
  return true;
}

function writeArm(
  {
    when,
    body,
    isOnly,
  }: { readonly when: Condition; readonly body: Sink | undefined; readonly isOnly: boolean },
  { sink, span, rendering }: Writer,
): void {
  const add = (parts: readonly Part[]): void => renderParts(parts, span, sink, rendering);
  if (isOnly) add([...conditionParts(simplified(negated(when))), ' OR (']);
  else if (when.kind === 'constant') add(['(']);
  else add(['(', ...conditionParts(when), ' AND (']);
  for (const fragment of body?.fragments ?? []) emit(sink, fragment);
  add([isOnly || when.kind === 'constant' ? ')' : '))']);
}

/** The alternative without its keyword; undefined if more than a condition is left. */
function bodyOf({ sink, outline }: RenderedArm, keyword: string, trailing: string): Sink | undefined {
  const { tokens, isBalanced } = outline;
  const inner = tokens.slice(keyword === '' ? 0 : 1, trailing === '' ? undefined : -1);
  if (!isBalanced || hasClause(inner) || inner.includes(',')) return undefined;
  if (tokens.length === 0) return { ...sink, fragments: [{ text: '1 = 1', at: 0, isCopied: false }] };
  if (inner.length === 0) return undefined;
  const fragments = [...sink.fragments];
  if (keyword !== '') trimKeyword(fragments, new RegExp(`^(?:\\s|--[^\\n]*\\n)*${keyword}\\b\\s*`, 'i'), 0);
  if (trailing !== '')
    trimKeyword(fragments, new RegExp(`\\s*\\b${trailing}\\s*$`, 'i'), fragments.length - 1);
  return { ...sink, fragments };
}

/** Removes the keyword, and white space beside it. */
function trimKeyword(fragments: Fragment[], pattern: RegExp, from: number): void {
  const step = from === 0 ? 1 : -1;
  for (let at = from; at >= 0 && at < fragments.length; at += step) {
    const fragment = fragments[at];
    if (fragment === undefined) return;
    const { text } = fragment;
    if (text.trim() === '') {
      fragments[at] = { ...fragment, text: '' };
      continue;
    }
    const found = pattern.exec(text)?.[0] ?? '';
    const cut = step === 1 ? text.slice(found.length) : text.slice(0, text.length - found.length);
    fragments[at] = {
      ...fragment,
      text: cut,
      at: fragment.at + (step === 1 && fragment.isCopied ? found.length : 0),
    };
    return;
  }
}

/** Alternatives that are values: CASE. */
function writeValue(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { value, last, clause, opener, isItem } = writer.sink.position.expectation();
  if (!value || arms.at(-1)?.when.kind !== 'constant') return false;
  // There, a table, a list, or the position of a column is meant, and no value.
  const isList = last === 'IN' || (opener === 'IN' && (last === undefined || last === ','));
  if (isTablePlace(last, clause) || isList || clause === 'SETTINGS' || isPartOfName(writer)) return false;
  if (last === 'INTERVAL' && arms.some(({ outline }) => outline.tokens.length > 1)) return false;
  const isPosition = isItem && (clause === 'ORDER' || clause === 'GROUP');
  if (isPosition && (clause === 'ORDER' || arms.some(({ outline }) => /^\d+$/.test(outline.tokens.join('')))))
    return false;
  if (!arms.every(isValue)) return false;
  const texts = arms.map(({ sink }) => textOf(sink.fragments));
  const mixed = isItem && clause === 'SELECT' ? mixedTimes([{ name: '', texts }], writer) : new Set();
  if (mixed === undefined) return false;
  writeCase(
    arms.map(({ when, sink: { fragments } }) => ({ when, fragments })),
    { ...writer, isDynamic: mixed.has('') },
  );
  return true;
}

/** The name of a function, or a part of any name. */
function isPartOfName({ span, rendering }: Writer): boolean {
  const { text } = rendering.source;
  return (
    /^\s*[(.]|^\w/.test(text.slice(span.end, span.end + 50)) || /[\w.]/.test(text.charAt(span.start - 1))
  );
}

function isTablePlace(last: string | undefined, clause: string | undefined): boolean {
  return last === 'FROM' || last === 'JOIN' || ((clause === 'FROM' || clause === 'JOIN') && last === ',');
}

function isValue({ outline: { tokens, isBalanced } }: RenderedArm): boolean {
  return (
    isBalanced &&
    tokens.length > 0 &&
    !hasClause(tokens) &&
    !tokens.some((token) => token === ',' || token === 'AS' || token === 'ASC' || token === 'DESC') &&
    !hasBareAlias(tokens)
  );
}

interface CaseArm {
  readonly when: Condition;
  readonly fragments: readonly Fragment[];
}

/** The last alternative is the one for all other cases. */
function writeCase(
  arms: readonly CaseArm[],
  { sink, span, rendering, isDynamic }: Writer & { readonly isDynamic: boolean },
): void {
  const add = (parts: readonly Part[]): void => renderParts(parts, span, sink, rendering);
  const open = isDynamic ? 'CAST(' : '(';
  add(['CASE']);
  for (const [index, { when, fragments }] of arms.entries()) {
    add(index === arms.length - 1 ? [` ELSE ${open}`] : [' WHEN ', ...conditionParts(when), ` THEN ${open}`]);
    for (const fragment of fragments) emit(sink, fragment);
    add([isDynamic ? ' AS Dynamic)' : ')']);
  }
  add([' END']);
}

/** Functions that make rows: in CASE, all of its branches would. */
const MAKES_ROWS = /\b(arrayJoin|unnest|generate_series|explode|flatten)\b/i;

/** Lists of the same number of columns with the same names, in a SELECT or WITH clause: CASE for each column. */
function writeItems(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { sink, rendering } = writer;
  if (arms.length < 2 || arms.at(-1)?.when.kind !== 'constant') return false;
  if (arms.some((arm) => MAKES_ROWS.test(textOf(arm.sink.fragments)))) return false;
  const { clause, isItem, last } = sink.position.expectation();
  if (!isItem && last !== 'WITH') return false;
  if (clause !== 'SELECT' && clause !== 'WITH') return false;
  const lists = arms.map((arm) => readItems(arm.sink.fragments, rendering.source.dialect));
  const [first] = lists;
  if (first === undefined || lists.some((list) => !isSameShape(list, first))) return false;
  const columns = first.items.map((_, index) =>
    lists.map((list, at): CaseArm => ({
      when: arms[at]?.when ?? ALWAYS,
      fragments: list?.items[index]?.fragments ?? [],
    })),
  );
  const alternatives = columns.map((column, index) => ({
    name: first.items[index]?.name ?? '',
    texts: column.map(({ fragments }) => textOf(fragments)),
  }));
  const mixed = mixedTimes(alternatives, writer);
  if (mixed === undefined) return false;
  for (const [index, item] of first.items.entries()) {
    writeCase(columns[index] ?? [], { ...writer, isDynamic: mixed.has(item.name) });
    const isEnd = index === first.items.length - 1 && !first.hasEnd;
    renderParts([` AS ${item.name}${isEnd ? ' ' : ', '}`], writer.span, sink, rendering);
  }
  return true;
}

function isSameShape(list: ItemList | undefined, { items, hasEnd }: ItemList): boolean {
  return (
    list !== undefined &&
    list.hasEnd === hasEnd &&
    list.items.length === items.length &&
    list.items.every(({ name }, index) => name.toLowerCase() === items[index]?.name.toLowerCase())
  );
}
