// The tables, views and dictionaries that a query or a definition names.
import { createCursor, type Cursor } from '../sql/cursor.ts';
import { stringValue } from '../sql/string-literal.ts';
import { readClauses } from './clauses.ts';
import { readCreateHead } from './create-head.ts';
import { dictionarySource } from './dictionaries.ts';
import { localEngine } from './engine-clause.ts';
import { keyOf } from './name.ts';

/** What a text may name; more than it reads, if a column has the name of a table. */
export interface References {
  /** As `database.name`. */
  readonly tables: ReadonlySet<string>;
  /** Names before a parenthesis, which may be those of functions. */
  readonly functions: ReadonlySet<string>;
  /** Arguments of `merge` and of the engine Merge: a database or an expression for it, and an expression for tables. */
  readonly merges: readonly (readonly [database: string, tables: string])[];
}

/** Reads a query, or a definition as ClickHouse prints it. */
export function referencesOf(sql: string): References {
  const cursor = createCursor(sql);
  const tables = new Set<string>();
  const functions = new Set<string>();
  const merges: (readonly [string, string])[] = [];
  for (let at = 0; at < cursor.length; at++) {
    if (cursor.kind(at) === 'string') for (const name of namesIn(cursor.text(at))) tables.add(name);
    const name = cursor.name(at);
    if (name === undefined) continue;
    const qualified = cursor.kind(at + 1) === '.' ? cursor.name(at + 2) : undefined;
    if (qualified !== undefined) tables.add(`${name}.${qualified}`);
    if (cursor.kind(at + 1) !== '(') continue;
    functions.add(name);
    if (name.toLowerCase() === 'merge') merges.push(...mergeArguments(cursor, at + 2));
  }
  for (const name of definedBy(cursor)) tables.add(name);
  return { tables, functions, merges };
}

/** A string with the name of a dictionary, as the functions of dictionaries have it. */
function namesIn(literal: string): readonly string[] {
  const value = stringValue(literal) ?? '';
  return /^[^.\s]+\.\S+$/.test(value) ? [value] : [];
}

function mergeArguments(cursor: Cursor, at: number): readonly (readonly [string, string])[] {
  const isPattern = cursor.word(at) === 'REGEXP' && cursor.kind(at + 1) === '(';
  const first = isPattern ? at + 2 : at;
  const second = isPattern ? at + 5 : at + 2;
  const [database, tables] = [first, second].map((index) =>
    cursor.kind(index) === 'string' ? stringValue(cursor.text(index)) : cursor.name(index),
  );
  if (database === undefined || tables === undefined) return [];
  return [[isPattern ? database : `^${database.replace(/[^\w]/g, '\\$&')}$`, tables]];
}

/** The table behind a Distributed table, and the source of a dictionary, whose names are in arguments. */
function definedBy(cursor: Cursor): readonly string[] {
  if (cursor.word(0) !== 'CREATE') return [];
  const head = readCreateHead(cursor, 'default');
  if (head === undefined) return [];
  const clauses = readClauses(cursor, head.next);
  const { database } = head.name;
  const engine = clauses.find(({ kind }) => kind === 'engine');
  const local = engine === undefined ? undefined : localEngine(cursor, engine, database);
  const source = dictionarySource({ cursor, head, clauses }, database);
  return [
    ...(local?.kind === 'alias' ? [keyOf(local.target)] : []),
    ...(source?.table === undefined ? [] : [keyOf(source.table)]),
    ...(source?.query === undefined ? [] : referencesOf(source.query).tables),
  ];
}
