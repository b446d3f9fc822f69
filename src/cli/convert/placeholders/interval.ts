// Intervals whose number, or whose number and unit, is a placeholder.
import type { Node, Part, Value } from './nodes.ts';
import { lose, note, renderParts, renderUse, type Rendering, type Sink, type Span } from './rendering.ts';
import type { TemplateDialect } from './template.ts';

export interface StringContext {
  readonly sink: Sink;
  readonly rendering: Rendering;
  /** This follows the string. */
  readonly next: Node | undefined;
}

export type StringNode = Extract<Node, { kind: 'string' }>;

const INTERVAL = /\binterval\s*$/i;
const CAST = /^\s*::\s*interval\b/i;
const UNITS = 'second|minute|hour|day|week|month|quarter|year';
const NEXT_UNIT = new RegExp(`^\\s*(${UNITS})s?\\b`, 'i');
const UNIT = new RegExp(`^\\s*(${UNITS})s?\\s*$`, 'i');

/** `INTERVAL '{{ n }} days'` becomes a call that makes an interval of a number. */
export function renderQuotedInterval(node: StringNode, { sink, rendering, next }: StringContext): boolean {
  const { text } = rendering.source;
  const [number, rest] = node.parts;
  const isCast = next?.kind === 'text' && CAST.test(text.slice(next.start, next.end));
  const last = sink.fragments.at(-1);
  const isInterval = last !== undefined && INTERVAL.test(last.text);
  if (!isInterval && !isCast) return false;
  const unit = rest?.kind === 'text' ? UNIT.exec(text.slice(rest.start, rest.end))?.[1] : undefined;
  if (node.parts.length === 1 && number?.kind === 'item' && number.item.kind === 'value') {
    if (isInterval) cutLast(sink, INTERVAL);
    if (isCast) sink.cutNext = CAST;
    const unit = next?.kind === 'text' ? NEXT_UNIT.exec(text.slice(next.start, next.end))?.[1] : undefined;
    if (isInterval && unit !== undefined) {
      sink.cutNext = NEXT_UNIT;
      const value: Value = { ...number.item.value, type: 'Int64' };
      renderParts(intervalParts(value, unit, rendering.source.dialect), node, sink, rendering);
      return true;
    }
    renderSeconds(number.item.value, node, sink, rendering);
    return true;
  }
  if (
    node.parts.length !== 2 ||
    number?.kind !== 'item' ||
    number.item.kind !== 'value' ||
    unit === undefined
  ) {
    const message = 'An interval whose unit is a placeholder is not supported';
    lose({ message, hint: 'Write the unit, and use the placeholder for the number' }, node, sink, rendering);
    return true;
  }
  if (isInterval) cutLast(sink, INTERVAL);
  const value: Value = { ...number.item.value, type: 'Int64' };
  renderParts(intervalParts(value, unit, rendering.source.dialect), node, sink, rendering);
  if (isCast) sink.cutNext = CAST;
  return true;
}

/** A number of units, as the dialect writes it. */
function intervalParts(value: Value, unit: string, dialect: TemplateDialect): readonly Part[] {
  const use: Part = { kind: 'value', value };
  switch (dialect) {
    case 'clickhouse': {
      const name = `toInterval${unit.charAt(0).toUpperCase()}${unit.slice(1).toLowerCase()}`;
      return [{ kind: 'function', name }, '(', use, ')'];
    }
    case 'mysql':
    case 'mariadb':
    case 'bigquery':
    case 'sqlite':
      return ['INTERVAL ', use, ` ${unit.toUpperCase()}`];
    case 'trino':
      return ['(', use, ` * INTERVAL '1' ${unit.toUpperCase()})`];
    case 'postgresql':
    case 'redshift':
    case 'snowflake':
      return ['(', use, ` * INTERVAL '1 ${unit.toLowerCase()}')`];
  }
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
/** A number with a unit that always has the same length. */
const DURATION = /^(\d{1,6})\s*(?:([smhdw])|(second|minute|hour|day|week)s?)$/i;

/** The seconds of `5m` and `5 minutes`. */
function secondsOf(written: Value['default']): number | undefined {
  const [, count, letter, word = ''] =
    DURATION.exec(typeof written === 'object' ? '' : String(written ?? '')) ?? [];
  const unit = (letter ?? word.charAt(0)).toLowerCase();
  return count === undefined ? undefined : Number(count) * (SECONDS[unit] ?? 1);
}

/** `INTERVAL $n SECOND`, and `INTERVAL $x` of values such as `5 minute`. */
export function renderInterval(value: Value, span: Span, sink: Sink, rendering: Rendering): void {
  const { text } = rendering.source;
  const isUnitNext = NEXT_UNIT.test(text.slice(span.end, span.end + 40));
  const known = [value.default, value.example, ...(value.enum ?? [])].filter((each) => each !== undefined);
  if (isUnitNext && known.every((each) => /^\d+$/.test(String(each))))
    return renderUse({ ...value, type: 'Int64' }, span, sink, { rendering });
  if (!isUnitNext && known.length > 0 && known.every((each) => secondsOf(each) !== undefined)) {
    cutLast(sink, INTERVAL);
    return renderSeconds(value, span, sink, rendering);
  }
  const message = 'An interval whose unit is a placeholder is not supported';
  lose({ message, hint: 'Write the unit, and use the placeholder for the number' }, span, sink, rendering);
}

/** `'{{ x }}'::interval`: the parameter is a number of seconds. */
function renderSeconds(value: Value, node: Span, sink: Sink, rendering: Rendering): void {
  const { default: written, enum: _, example: __, ...rest } = value;
  const fallback = secondsOf(written);
  const seconds: Value = {
    ...rest,
    name: `${value.name}_seconds`,
    type: 'UInt32',
    description: `${value.description ?? value.name}, in seconds.`,
    ...(fallback === undefined ? {} : { default: fallback }),
  };
  const parts = intervalParts(seconds, 'second', rendering.source.dialect);
  renderParts(parts, node, sink, rendering);
  note(rendering, node, {
    severity: 'note',
    message: `The interval is a number of seconds, ${seconds.name}`,
  });
}

/** Removes what matches from the end of the last fragment. */
export function cutLast({ fragments }: Sink, pattern: RegExp): void {
  const last = fragments.pop();
  if (last !== undefined) fragments.push({ ...last, text: last.text.replace(pattern, '') });
}
