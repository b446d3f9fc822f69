// Texts that are a part of a query: values with an alias, or an order, as in a list.
import { createCursor } from '../cursor.ts';
import type { Tree } from './nodes.ts';
import { parseOrderElement } from './parse-ordering.ts';
import { GRAMMAR, MODIFIERS, parseSavedText } from './parse.ts';
import {
  close,
  createReader,
  fail,
  isKeywordBefore,
  kind,
  leaf,
  open,
  resume,
  shown,
  skip,
  takeKind,
  word,
  type Reader,
} from './reader.ts';

/** The tree of one or more values between commas, of an author: a `list` of `order-item`. What is unknown ends at the next comma. */
export function parseList(sql: string): Tree {
  const reader = createReader(createCursor(sql), GRAMMAR, 1);
  const outer = open(reader, 'list');
  if (isKeywordBefore(reader, 'DISTINCT')) leaf(reader, 'distinct');
  do parseItem(reader);
  while (takeKind(reader, ','));
  const root = reader.top;
  close(reader, outer);
  return { cursor: reader.cursor, root, fault: reader.passed };
}

/** The tree of an author's query, or of a value. */
export function parseText(sql: string): Tree {
  const query = parseSavedText(sql);
  const list = query.fault === undefined ? undefined : parseList(sql);
  return list?.fault === undefined ? (list ?? query) : query;
}

function parseItem(reader: Reader): void {
  const { cursor, at, top } = reader;
  parseOrderElement(reader);
  while (word(reader) === 'WITH' && MODIFIERS.has(word(reader, 1))) skip(reader, 2);
  const item = top.parts.at(-1);
  if (reader.fault === undefined && (kind(reader) === ',' || kind(reader) === undefined)) {
    if (item !== undefined) item.to = reader.at;
    return;
  }
  fail(reader, `Unexpected ${shown(reader)}`, { kind: 'unexpected' });
  let end = at;
  while (end < cursor.length && cursor.kind(end) !== ',') end = cursor.after(end);
  resume(reader, end);
  if (item !== undefined) Object.assign(item, { to: end, isWhole: false });
}
