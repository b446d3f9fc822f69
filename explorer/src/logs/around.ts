// Rows around one: of the same source, as many before it as after it.
import type { Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { include, isFilterable, targetOf } from './lql-edit.ts';
import { ask, filterText, sqlAsk, type LogQuestion } from './questions.ts';
import type { Caller } from './row-calls.ts';
import { hashOf } from './row-key.ts';
import { leavesOf } from './row-values.ts';
import { microsOf, sqlName, sqlTime } from './sql.ts';

/** A field that says where a row comes from, and its value in the row. */
export interface Source {
  readonly path: string;
  readonly value: string | number;
}

export interface Around {
  /** The newest first, the row itself among them. */
  readonly rows: readonly Row[];
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
}

/** Names of fields that say where a row comes from, the most specific first. */
const NAMES = [
  /(?:^|[._])(?:container|pod)(?:[._]?(?:id|name))?$/i,
  /(?:^|[._])(?:function|deployment|process|instance)[._]?(?:id|name)$/i,
  /(?:^|[._])(?:host|host[._]?name|node|server|instance)$/i,
  /(?:^|[._])(?:service|app|application|program|component)(?:[._]?name)?$/i,
  /(?:^|[._])(?:source|logger|module|topic|backend[._]?type|context)$/i,
];
const MAX_SOURCES = 6;
const MAX_LEAVES = 300;
const REACH_MS = 7 * 86_400_000;

/** The likeliest first. */
export function sourcesOf(row: Row, table: Table): readonly Source[] {
  const fields = leavesOf(row, MAX_LEAVES).flatMap(({ segments, value }) => {
    const { path, isElement } = targetOf(segments, table);
    const isValue = (typeof value === 'string' && value !== '') || typeof value === 'number';
    return isValue && !isElement && isFilterable({ path, isElement }, value) ? [{ path, value }] : [];
  });
  const found = NAMES.flatMap((name) => fields.filter(({ path }) => name.test(path)));
  return [...new Set(found)].slice(0, MAX_SOURCES);
}

export interface AroundOptions {
  readonly sources: readonly Source[];
  /** Rows on each side, if there are as many within a week. */
  readonly count: number;
}

/** Returns undefined if the time of the row is not known. It needs SQL: LQL returns the newest rows, not those next to a time. */
export async function rowsAround(
  caller: Caller,
  row: Row,
  question: LogQuestion,
  { sources, count }: AroundOptions,
): Promise<Around | undefined> {
  const at = row[question.view.time];
  const micros = typeof at === 'string' ? microsOf(at) : undefined;
  if (micros === undefined) return undefined;
  const lql = sources.reduce((text, { path, value }) => include(text, { path, isElement: false }, value), '');
  const ms = Number(micros / 1000n);
  const asked = { ...question, lql, bounds: { from: ms - REACH_MS, to: ms + REACH_MS } };
  const { client, key, signal } = caller;
  const { sql } = await client.explain(key, ask(asked, { language: 'lql', text: filterText(asked) }), signal);
  const side = async (condition: string, order: string): Promise<readonly Row[]> => {
    const time = sqlName(question.view.time);
    const text = `SELECT *\nFROM (\n${sql}\n)\nWHERE ${time} ${condition}\nORDER BY ${time} ${order}\nLIMIT ${count + 2}`;
    return (await client.run(key, sqlAsk(asked, text), { signal, isFresh: false })).rows;
  };
  const [older, newer] = await Promise.all([
    side(`< ${sqlTime(micros + 1n)}`, 'DESC'),
    side(`>= ${sqlTime(micros)}`, 'ASC'),
  ]);
  return joined(row, older, newer, count);
}

/** Rows of the same time are on both sides: each of them is shown once. */
function joined(row: Row, older: readonly Row[], newer: readonly Row[], count: number): Around {
  const own = hashOf(row);
  const seen = new Set([own]);
  const isNew = (each: Row): boolean => !seen.has(hashOf(each)) && seen.add(hashOf(each)).size > 0;
  const [before, after] = [older.filter(isNew), newer.filter(isNew)];
  return {
    rows: [...after.slice(0, count).toReversed(), row, ...before.slice(0, count)],
    hasNewer: after.length > count,
    hasOlder: before.length > count,
  };
}
