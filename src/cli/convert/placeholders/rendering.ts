// The state while a template is written as SQL, and its elements: values, generated SQL, notes, and parts that are lost.
import type { ConversionNote } from '../../../sql/dialects/conversion.ts';
import type { ParameterNames } from './names.ts';
import { readNodes, type Node, type NodeSource, type Part, type Value } from './nodes.ts';
import type { Fragment } from './output.ts';
import { literalOf } from './source-lexer.ts';
import type { TemplateDialect } from './template.ts';
import type { SqlPosition } from './sql-outline.ts';

/** By name of the value. */
export interface Demands {
  /** A condition asks whether they are given: they can be absent, unless they are required. */
  readonly asked: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  readonly allowed: ReadonlyMap<string, readonly (string | number)[]>;
}

/** What is known while the whole text is written. */
export interface Rendering {
  readonly source: NodeSource;
  readonly names: ParameterNames;
  /** Names whose uses have their defaults beside them, because a condition asks whether the value is given, or because they differ. */
  readonly withDefaultsInPlace: ReadonlySet<string>;
  readonly notes: ConversionNote[];
  /** Reasons by the name of the stand-in, `not_converted_1`. */
  readonly lost: Map<
    string,
    { readonly reason: string; readonly offset: number; readonly isPlaced: boolean }
  >;
  /** Where alternatives stand that have no form. */
  readonly failed: Set<number>;
  /** What the template demands of its values: others are rejected. */
  readonly demands: Demands;
  /** Names of parameters that are used in more ways than a choice can be. */
  readonly notChoices: ReadonlySet<string>;
  /** The parameters of optional limits, by the stand-in, `optional_limit_1`. */
  readonly limits: Map<string, string>;
  depth: number;
  /** Optional parts so far. */
  parts: number;
  /** Writes nodes in order. */
  readonly render: (nodes: readonly Node[], sink: Sink) => void;
}

/** Where fragments are added. */
export interface Sink {
  readonly fragments: Fragment[];
  readonly position: SqlPosition;
  /** Values that are certain to be given here. */
  readonly guards: ReadonlySet<string>;
  /** Inside a part that depends on a condition. */
  readonly isConditional?: boolean;
  /** Removed from the start of the next source text. */
  cutNext?: RegExp | undefined;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A sink that continues where another one is. */
export function forkSink(sink: Sink, guards: ReadonlySet<string> = sink.guards): Sink {
  return { fragments: [], position: sink.position.fork(), guards, isConditional: true };
}

export function emit(sink: Sink, fragment: Fragment): void {
  sink.fragments.push(fragment);
  sink.position.add(fragment.text);
}

const MAX_DEPTH = 10;

export function renderParts(parts: readonly Part[], span: Span, sink: Sink, rendering: Rendering): void {
  const add = (text: string): void => emit(sink, { text, at: span.start, isCopied: false });
  const { dialect, text, syntax } = rendering.source;
  for (const part of parts) {
    if (typeof part === 'string') add(part);
    else if (part.kind === 'literal') add(literalOf(part.value, dialect));
    else if (part.kind === 'function') add(dialect === 'clickhouse' ? part.name : `clickhouse__${part.name}`);
    else if (part.kind === 'value')
      renderUse(part.value, span, sink, { rendering, isAsked: part.isAsked === true });
    else if (rendering.depth < MAX_DEPTH) {
      // Arguments of macros can contain placeholders themselves.
      const offset = part.start;
      const inner = readNodes({
        text: text.slice(part.start, part.end),
        dialect,
        syntax: {
          markEnd: syntax.markEnd,
          interpret: ({ start, end }, inside) =>
            syntax.interpret({ start: start + offset, end: end + offset }, inside),
        },
      });
      rendering.depth++;
      rendering.render(
        inner.nodes.map((node) => shifted(node, offset)),
        sink,
      );
      rendering.depth--;
    }
  }
}

function shifted(node: Node, by: number): Node {
  const moved = { ...node, start: node.start + by, end: node.end + by };
  const all = (nodes: readonly Node[]): Node[] => nodes.map((each) => shifted(each, by));
  switch (moved.kind) {
    case 'string': {
      const { region } = moved;
      return {
        ...moved,
        region: { ...region, start: region.start + by, end: region.end + by },
        parts: all(moved.parts),
      };
    }
    case 'choice':
      return { ...moved, arms: moved.arms.map(({ when, body }) => ({ when, body: all(body) })) };
    case 'optional':
      return { ...moved, body: all(moved.body) };
    case 'item':
    case 'text':
    case 'unsupported':
      return moved;
  }
}

export interface UseContext {
  readonly rendering: Rendering;
  /** In a string beside other text. */
  readonly isPartOfString?: boolean;
  readonly isAsked?: boolean;
}

/** The value with what the template demands of it. */
export function demanded(value: Value, { asked, required, allowed }: Demands): Value {
  const names = value.enum ?? (value.isList === true ? undefined : allowed.get(value.name));
  const listed = names === undefined ? value : { ...value, enum: names };
  const { default: _, ...rest } = listed;
  if (required.has(value.name)) return { ...rest, required: true };
  return asked.has(value.name) ? { ...listed, required: false } : listed;
}

/** `:x`, or in a pattern what the tool makes of it. */
export function renderUse(written: Value, span: Span, sink: Sink, context: UseContext): void {
  const { hasLiteralPercent = false } = written;
  const isEscaped =
    hasLiteralPercent === 'named' || (hasLiteralPercent && sink.position.expectation().isPattern);
  if (hasLiteralPercent && !isEscaped && hasPercent(written)) note(context.rendering, span, PERCENT);
  if (!isEscaped) return renderPlainUse(written, span, sink, context);
  const add = (text: string): void => emit(sink, { text, at: span.start, isCopied: false });
  const escaped = String.raw`'%', '\\%')`;
  add(written.isList === true ? `arrayMap(each -> replaceAll(each, ${escaped}, ` : 'replaceAll(');
  renderPlainUse(written, span, sink, context);
  add(written.isList === true ? ')' : `, ${escaped}`);
}

const PERCENT = {
  severity: 'differs',
  message: String.raw`A value of the template has %: the tool compares it as \%, and finds other rows`,
} as const;

function hasPercent({ default: fallback, enum: names = [], example }: Value): boolean {
  const known = [...(Array.isArray(fallback) ? fallback : [fallback]), ...names, example];
  return known.some((each) => String(each).includes('%'));
}

/** `:x`, with its default beside it if the parameter has none. */
function renderPlainUse(
  written: Value,
  span: Span,
  sink: Sink,
  { rendering, isPartOfString = false, isAsked = false }: UseContext,
): void {
  const { dialect } = rendering.source;
  const value = demanded(written, rendering.demands);
  const name = rendering.names.of(value.name);
  const hasDefaultInPlace = rendering.withDefaultsInPlace.has(value.name) && !sink.guards.has(value.name);
  const sign = dialect === 'clickhouse' ? '@' : ':';
  const use = {
    name,
    value,
    isGuarded:
      isAsked ||
      sink.isConditional === true ||
      sink.guards.has(value.name) ||
      (hasDefaultInPlace && value.default !== undefined),
    isPartOfString,
    at: span.start,
    end: span.end,
  };
  const fragment: Fragment = { text: `${sign}${name}`, at: span.start, isCopied: false, use };
  if (value.default === undefined || !hasDefaultInPlace || value.choices !== undefined)
    return emit(sink, fragment);
  const add = (text: string): void => emit(sink, { text, at: span.start, isCopied: false });
  const own = dialect === 'clickhouse' ? '' : 'clickhouse__';
  if (typeof value.default === 'object') {
    add(`${own}if(${own}empty(`);
    emit(sink, fragment);
    add(`), ${own}array(${value.default.map((each) => literalOf(each, dialect)).join(', ')}), `);
    emit(sink, fragment);
    add(')');
  } else {
    add('coalesce(');
    emit(sink, fragment);
    add(`, ${literalOf(value.default, dialect)}${timeCast(value, dialect)})`);
  }
}

/** Without the type, `coalesce` of a time and a text has a type of its own, which fails when a call compares it. */
function timeCast({ type = '', default: value }: Value, dialect: TemplateDialect): string {
  const isTime = type.startsWith('Date') && /^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d+)?)?$/.test(String(value));
  return isTime && dialect === 'clickhouse' ? `::${type}` : '';
}

export function note(
  rendering: Rendering,
  { start, end }: Span,
  {
    severity,
    message,
    hint,
  }: { readonly severity: ConversionNote['severity']; readonly message: string; readonly hint?: string },
): void {
  rendering.notes.push({
    severity,
    code: 'placeholder',
    start,
    end,
    message,
    ...(hint === undefined ? {} : { hint }),
  });
}

export interface LostPart {
  readonly message: string;
  readonly hint?: string;
  /** False if another part is in its place. */
  readonly isPlaced?: false;
}

/** A part that cannot be expressed: an undeclared parameter in its place if that can be a value, otherwise at the end. */
export function lose(
  { message, hint, isPlaced: isPlaceable }: LostPart,
  span: Span,
  sink: Sink,
  rendering: Rendering,
): void {
  note(rendering, span, { severity: 'not_converted', message, ...(hint === undefined ? {} : { hint }) });
  const { value: isExpected, last } = sink.position.expectation();
  const isPlaced = isExpected && isPlaceable !== false;
  const name = `not_converted_${rendering.lost.size + 1}`;
  rendering.lost.set(name, { reason: message, offset: span.start, isPlaced });
  const sign = rendering.source.dialect === 'clickhouse' ? '@' : ':';
  const isName = isPlaceable !== false && (last === 'FROM' || last === 'JOIN' || last === '.');
  const text = isName ? name : isPlaced ? `${sign}${name}` : ' ';
  emit(sink, { text, at: span.start, isCopied: false });
}

/** A rejection that no declaration expresses. */
export function rejected(
  { name }: { readonly name: string },
  span: Span,
  sink: Sink,
  rendering: Rendering,
): void {
  note(rendering, span, {
    severity: 'differs',
    message: `${name}(…) is left out: the calls that it rejects are answered`,
    hint: 'Declare the parameter required, or with enum, min or max',
  });
  emit(sink, { text: ' ', at: span.start, isCopied: false });
}
