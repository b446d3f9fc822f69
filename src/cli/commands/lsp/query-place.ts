// Finds the SQL that a position of a file is in: the query, a table of a shared file, or the fragment of a choice.
import type { Position } from '../../../sql/base/position.ts';
import type { Path, YamlDocument } from '../../../service/config/yaml-document.ts';

export interface QueryPlace {
  readonly path: Path;
  readonly sql: string;
  /** The position is counted in UTF-16 code units of `sql`. */
  readonly offset: number;
}

/** `at` is 1-based. Undefined: it is in no SQL. */
export function queryPlace(document: YamlDocument, at: Position): QueryPlace | undefined {
  for (const [path, sql] of queriesIn(document.value)) {
    const offset = offsetIn(document, { path, sql }, at);
    if (offset !== undefined) return { path, sql, offset };
  }
  return undefined;
}

function queriesIn(value: unknown): readonly (readonly [path: Path, sql: string])[] {
  const found: [Path, string][] = [];
  const add = (path: Path, sql: unknown): void => {
    if (typeof sql === 'string') found.push([path, sql]);
  };
  add(['query'], memberOf(value, 'query'));
  for (const [name, sql] of entriesOf(memberOf(value, 'tables'))) add(['tables', name], sql);
  for (const [name, parameter] of entriesOf(memberOf(value, 'parameters')))
    for (const [choice, sql] of entriesOf(memberOf(parameter, 'choices')))
      add(['parameters', name, 'choices', choice], sql);
  return found;
}

/** The value of a key; undefined if there is none. */
export function memberOf(value: unknown, key: string): unknown {
  return entriesOf(value).find(([name]) => name === key)?.[1];
}

export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** Positions in a string only grow, so that the offset is found by halving. */
function offsetIn(
  document: YamlDocument,
  { path, sql }: Pick<QueryPlace, 'path' | 'sql'>,
  at: Position,
): number | undefined {
  const placeOf = (offset: number): Position => document.locateInside(path, offset);
  const [start, end] = [placeOf(0), placeOf(sql.length)];
  if (isBefore(at, start) || (isBefore(end, at) && at.line !== end.line)) return undefined;
  let [low, high] = [0, sql.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(placeOf(middle), at)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.column < other.column);
}
