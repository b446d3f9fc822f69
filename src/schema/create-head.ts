// The head of a CREATE statement: what it creates, under which name.
import type { Cursor } from '../sql/cursor.ts';
import { readName, type QualifiedName } from './name.ts';

export interface CreateHead {
  /** TABLE, VIEW, MATERIALIZED VIEW and so on. */
  readonly what: string;
  readonly isReplace: boolean;
  readonly ifNotExists: boolean;
  readonly name: QualifiedName;
  /** Index of the token after the name, the UUID and the cluster. */
  readonly next: number;
}

const KINDS: readonly (readonly string[])[] = [
  ['TABLE'],
  ['VIEW'],
  ['MATERIALIZED', 'VIEW'],
  ['LIVE', 'VIEW'],
  ['WINDOW', 'VIEW'],
  ['DICTIONARY'],
  ['DATABASE'],
  ['FUNCTION'],
];

/** Undefined if it creates something else, or its name cannot be read. */
export function readCreateHead(cursor: Cursor, database: string): CreateHead | undefined {
  let at = 1;
  const take = (...words: readonly string[]): boolean => {
    if (!words.every((word, ahead) => cursor.word(at + ahead) === word)) return false;
    at += words.length;
    return true;
  };
  const isReplace = take('OR', 'REPLACE');
  take('TEMPORARY');
  const what = KINDS.find((words) => take(...words))?.join(' ');
  if (what === undefined) return undefined;
  const ifNotExists = take('IF', 'NOT', 'EXISTS');
  const read = readName(cursor, at, database);
  if (read === undefined) return undefined;
  return { what, isReplace, ifNotExists, name: read.name, next: read.next };
}

/** Whether the statement has the form of one that creates something with columns. */
export function createsTable(cursor: Cursor): boolean {
  return [1, 2, 3].some((at) => /^(TABLE|VIEW|DICTIONARY|FUNCTION|DATABASE)$/.test(cursor.word(at) ?? ''));
}
