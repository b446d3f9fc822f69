// Placeholders inside string literals: '%{{ x }}%' becomes concat('%', :x, '%').
import { valuesOf, type Node, type Part, type Value } from './nodes.ts';
import { cutLast, renderQuotedInterval, type StringContext, type StringNode } from './interval.ts';
import {
  emit,
  lose,
  note,
  renderParts,
  renderUse,
  type Rendering,
  type Sink,
  type Span,
} from './rendering.ts';

export function renderString(node: StringNode, { sink, rendering, next }: StringContext): void {
  const { region, parts } = node;
  if (region.kind === 'quoted') {
    if (!sink.position.expectation().value) return renderAlias(node, sink, rendering);
    const message = 'A column or table by placeholder is not supported: parameters are values';
    lose({ message, hint: 'Write out the choices' }, node, sink, rendering);
    return;
  }
  const items = parts.flatMap((part) => (part.kind === 'item' ? [part.item] : []));
  const bad = items.find((item) => item.kind === 'lost');
  if (bad !== undefined) return lose(bad, node, sink, rendering);
  if (items.some((item) => item.kind === 'value' && item.value.isList === true && parts.length > 1))
    return lose({ message: 'A list inside a string is not supported' }, node, sink, rendering);
  if (renderQuotedInterval(node, { sink, rendering, next })) return;
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
    else if ('parts' in piece)
      renderParts(
        [{ kind: 'function', name: 'toString' }, '(', ...piece.parts, ')'],
        piece.span,
        sink,
        rendering,
      );
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

type LiteralPiece =
  | string
  | { readonly value: Value; readonly span: Span }
  | { readonly parts: readonly Part[]; readonly span: Span };

function piecesOf({ parts }: StringNode, text: string): readonly LiteralPiece[] {
  const pieces: LiteralPiece[] = [];
  const addText = (added: string): void => {
    const last = pieces.at(-1);
    if (typeof last === 'string') pieces[pieces.length - 1] = last + added;
    else pieces.push(added);
  };
  for (const part of parts) {
    if (part.kind === 'text') addText(text.slice(part.start, part.end));
    else if (part.kind !== 'item') continue;
    else if (part.item.kind === 'inserted') addText(part.item.text.replaceAll("'", "''"));
    else if (part.item.kind === 'sql') pieces.push({ parts: part.item.parts, span: part });
    else pieces.push(...valuesOf(part.item).map((value) => ({ value, span: part })));
  }
  return pieces;
}

/** The name of a column, which is the same in every response: the placeholder's name is in it instead of the value. */
function renderAlias(node: StringNode, sink: Sink, rendering: Rendering): void {
  const { text } = rendering.source;
  const { region, parts } = node;
  const names = parts.map((part) => {
    if (part.kind === 'text') return text.slice(part.start, part.end);
    return part.kind === 'item' && part.item.kind === 'inserted' ? part.item.text : plainName(part);
  });
  const open = text.slice(region.start, region.start + region.open);
  const close = text.slice(region.end - region.close, region.end);
  emit(sink, { text: `${open}${names.join('')}${close}`, at: node.start, isCopied: false });
  note(rendering, node, {
    severity: 'differs',
    message: `The name of the column is always ${names.join('')}: it does not change with the value`,
  });
}

function plainName(part: Node): string {
  const [value] = part.kind === 'item' ? valuesOf(part.item) : [];
  return value?.name.replace(/\W/g, '_') ?? '';
}

const TYPE_WORD = /\b(date|timestamp|datetime)\s*$/i;

/** Removes the type in front of a literal, `DATE '…'`, and returns it. */
function takeTypeWord(sink: Sink): string | undefined {
  const type = TYPE_WORD.exec(sink.fragments.at(-1)?.text ?? '')?.[1];
  if (type !== undefined) cutLast(sink, TYPE_WORD);
  return type;
}
