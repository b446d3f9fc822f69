// Placeholders inside string literals: '%{{ x }}%' becomes concat('%', :x, '%').
import { valuesOf, type Node, type Value } from './nodes.ts';
import { emit, lose, note, renderParts, renderUse, type Rendering, type Sink } from './rendering.ts';

interface StringContext {
  readonly sink: Sink;
  readonly rendering: Rendering;
  /** What follows the string. */
  readonly next: Node | undefined;
}

type StringNode = Extract<Node, { kind: 'string' }>;

export function renderString(node: StringNode, { sink, rendering, next }: StringContext): void {
  const { region, parts } = node;
  if (region.kind === 'quoted') {
    const message = 'A column or table by placeholder is not supported: parameters are values';
    lose({ message, hint: 'Write out the choices' }, node, sink, rendering);
    return;
  }
  const items = parts.flatMap((part) => (part.kind === 'item' ? [part.item] : []));
  const bad = items.find((item) => item.kind === 'lost');
  if (bad !== undefined) return lose(bad, node, sink, rendering);
  if (items.some((item) => item.kind === 'value' && item.value.isList === true && parts.length > 1))
    return lose({ message: 'A list inside a string is not supported' }, node, sink, rendering);
  if (renderInterval(node, { sink, rendering, next })) return;
  const type = takeTypeWord(sink);
  const add = (text: string): void => emit(sink, { text, at: node.start, isCopied: false });
  if (type !== undefined) add('CAST(');
  renderContent(node, sink, rendering);
  if (type !== undefined) add(` AS ${type})`);
}

function renderContent(node: StringNode, sink: Sink, rendering: Rendering): void {
  const { parts, region } = node;
  const { text } = rendering.source;
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'item') {
    if (only.item.kind === 'value') return renderUse(unquoted(only.item.value), only, sink, { rendering });
    if (only.item.kind === 'sql' && only.item.note !== undefined) note(rendering, only, only.item.note);
    if (only.item.kind === 'sql') return renderParts(only.item.parts, only, sink, rendering);
  }
  const [open, close] = [
    text.slice(region.start, region.start + region.open),
    text.slice(region.end - region.close, region.end),
  ];
  const pieces = piecesOf(node, text);
  const add = (piece: string): void => emit(sink, { text: piece, at: node.start, isCopied: false });
  if (pieces.every((piece) => typeof piece === 'string')) return add(`${open}${pieces.join('')}${close}`);
  add(rendering.source.dialect === 'clickhouse' ? 'concat(' : 'clickhouse__concat(');
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) add(', ');
    if (typeof piece === 'string') add(`${open}${piece}${close}`);
    else
      renderUse({ ...unquoted(piece.value), type: 'String' }, piece.span, sink, {
        rendering,
        isPartOfString: true,
      });
  }
  add(')');
}

/** In quotes, the value is a string or what the string is read as: its type is not that of SQL. */
function unquoted(value: Value): Value {
  const { isRaw: _, ...rest } = value;
  return rest;
}

type Piece =
  | string
  | { readonly value: Value; readonly span: { readonly start: number; readonly end: number } };

function piecesOf({ parts }: StringNode, text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  const addText = (added: string): void => {
    const last = pieces.at(-1);
    if (typeof last === 'string') pieces[pieces.length - 1] = last + added;
    else pieces.push(added);
  };
  for (const part of parts) {
    if (part.kind === 'text') addText(text.slice(part.start, part.end));
    else if (part.kind !== 'item') continue;
    else if (part.item.kind === 'inserted') addText(part.item.text.replaceAll("'", "''"));
    else pieces.push(...valuesOf(part.item).map((value) => ({ value, span: part })));
  }
  return pieces;
}

const CAST = /^\s*::\s*interval\b/i;
const UNITS = 'second|minute|hour|day|week|month|quarter|year';
const UNIT = new RegExp(`^\\s*(${UNITS})s?\\s*$`, 'i');

/** `INTERVAL '{{ n }} days'` becomes a call that makes an interval of a number. */
function renderInterval(node: StringNode, { sink, rendering, next }: StringContext): boolean {
  const { text } = rendering.source;
  const [number, rest] = node.parts;
  const isCast = next?.kind === 'text' && CAST.test(text.slice(next.start, next.end));
  const last = sink.fragments.at(-1);
  const isInterval = last !== undefined && /\binterval\s*$/i.test(last.text);
  if (!isInterval && !isCast) return false;
  const unit = rest?.kind === 'text' ? UNIT.exec(text.slice(rest.start, rest.end))?.[1] : undefined;
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
  if (isInterval) cutLast(sink, /\binterval\s*$/i);
  const name = `toInterval${unit.charAt(0).toUpperCase()}${unit.slice(1).toLowerCase()}`;
  const value: Value = { ...number.item.value, type: 'Int64' };
  renderParts([{ kind: 'function', name }, '(', { kind: 'value', value }, ')'], node, sink, rendering);
  if (isCast) sink.cutNext = CAST;
  return true;
}

const TYPE_WORD = /\b(date|timestamp|datetime)\s*$/i;

/** Removes the type in front of a literal, `DATE '…'`, and returns it. */
function takeTypeWord(sink: Sink): string | undefined {
  const type = TYPE_WORD.exec(sink.fragments.at(-1)?.text ?? '')?.[1];
  if (type !== undefined) cutLast(sink, TYPE_WORD);
  return type;
}

function cutLast({ fragments }: Sink, pattern: RegExp): void {
  const last = fragments.pop();
  if (last !== undefined) fragments.push({ ...last, text: last.text.replace(pattern, '') });
}
