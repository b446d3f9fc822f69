// Reads VALUES.
import type { Query, Rows } from '../tree.ts';
import {
  expectWords,
  isSymbol,
  peek,
  readExpression,
  readItems,
  readList,
  takeWords,
  type Source,
} from './source.ts';

/** Rows as a query. */
export function rowsQuery(rows: Rows): Query {
  return { kind: 'query', at: rows.at, tables: [], body: rows, orderBy: [] };
}

/** @throws UnconvertedError */
export function readRows(source: Source): Rows {
  const { start: at } = peek(source);
  expectWords(source, 'VALUES');
  const rows = readItems(source, () => {
    takeWords(source, 'ROW');
    return isSymbol(source, '(') ? readList(source, () => readExpression(source)) : [readExpression(source)];
  });
  return { kind: 'rows', at, rows };
}
