// Finds out why a log view has no rows: when the newest one was, and which fields of the filter no row has.
import { nearest } from '../../../src/sql/base/nearest.ts';
import { print } from '../../../src/sql/lql/print.ts';
import type { FieldFilter } from '../../../src/sql/lql/tree.ts';
import type { Ask, Client } from '../service/client.ts';
import type { Row } from '../service/json.ts';
import { CallFailure } from '../service/problem.ts';
import { columnOf, fieldOf, fieldsOf } from './fields.ts';
import { partsOf, replace } from './lql-edit.ts';
import { pathOf, unnameable } from './lql-path.ts';
import {
  ask,
  basisOf,
  canSendSql,
  filterText,
  hasPages,
  outerWhere,
  rowsOf,
  sqlAsk,
  type Bounds,
  type LogQuestion,
} from './questions.ts';
import { millisOf } from './row-values.ts';
import { sqlName } from './sql.ts';
import { tableOf } from './view.ts';

export interface EmptyFacts {
  /** The time of the newest row that the filter selects, or else of the table, in milliseconds since 1970; undefined: not known. */
  readonly newest: { readonly at: number; readonly isFiltered: boolean } | 'none' | undefined;
  readonly unknown: readonly UnknownField[];
}

/** A field that none of the rows has that were looked at. */
export interface UnknownField {
  readonly path: string;
  /** The number of rows. */
  readonly looked: number;
  /** The closest one that a row has, and the filter with it. */
  readonly nearest: { readonly path: string; readonly lql: string } | undefined;
}

interface Asking {
  readonly client: Client;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Rows that are searched for the names of their fields. */
const LOOKED = 10_000;

/** A fact that cannot be asked for, or whose call fails, is left out. */
export async function emptyFacts(asking: Asking, question: LogQuestion): Promise<EmptyFacts> {
  const [newest, unknown] = await Promise.all([newestRow(asking, question), unknownFields(asking, question)]);
  if (newest !== 'none' || question.lql.trim() === '') return { newest: newestOf(newest, true), unknown };
  const any = await newestRow(asking, { ...question, lql: '' });
  return { newest: newestOf(any, false), unknown };
}

function newestOf(at: number | 'none' | undefined, isFiltered: boolean): EmptyFacts['newest'] {
  return typeof at === 'number' ? { at, isFiltered } : at;
}

/** Searches all times; the result is in milliseconds since 1970, or undefined if it cannot be asked for. */
async function newestRow(asking: Asking, question: LogQuestion): Promise<number | 'none' | undefined> {
  const { from, to } = ALWAYS;
  // Rows before the end of the time range come first: later ones may be due to a wrong clock.
  for (const bounds of [
    { from, to: question.bounds.to },
    { from: question.bounds.to, to },
  ]) {
    const found = await newestWithin(asking, { ...question, bounds });
    if (found !== 'none') return found;
  }
  return 'none';
}

async function newestWithin(asking: Asking, question: LogQuestion): Promise<number | 'none' | undefined> {
  const { time } = question.view;
  const { ask: explained, expressions } = basisOf(question);
  const isSql = canSendSql(question);
  if (!isSql && !hasPages(question)) return undefined;
  const found = await rows(asking, isSql ? explained : undefined, (sql) =>
    sql === undefined
      ? rowsOf(question, { limit: 1 })
      : sqlAsk(
          question,
          [
            `SELECT ${expressions.get(time) ?? sqlName(time)} AS ${sqlName(time)}`,
            `FROM (\n${sql}\n)`,
            ...outerWhere(question),
            `ORDER BY ${sqlName(time)} DESC`,
            'LIMIT 1',
          ].join('\n'),
        ),
  );
  return found && (millisOf(found[0], time) ?? 'none');
}

/** Every type of times can hold these bounds. */
const ALWAYS: Bounds = { from: 0, to: Date.UTC(2105) };

/** Returns undefined if the call fails. The SQL is read from the explanation of `explained`. */
async function rows(
  { client, key, signal }: Asking,
  explained: Ask | undefined,
  askFor: (sql: string | undefined) => Ask,
): Promise<readonly Row[] | undefined> {
  try {
    const sql = explained && (await client.explain(key, explained, signal)).sql;
    return (await client.run(key, askFor(sql), { signal, isFresh: false })).rows;
  } catch (error) {
    if (error instanceof CallFailure) return undefined;
    throw error;
  }
}

/** Typed fields always exist; of a JSON column without types, any path may be named, and one that is misspelled selects nothing. */
async function unknownFields(asking: Asking, question: LogQuestion): Promise<readonly UnknownField[]> {
  const table = tableOf(question.view, question.endpoint);
  if (table === undefined || !canSendSql(question)) return [];
  const filters = partsOf(question.lql).flatMap(({ clause }) => (clause?.kind === 'field' ? [clause] : []));
  const found: UnknownField[] = [];
  for (const clause of filters) {
    const path = clause.path.segments.join('.');
    if (fieldOf(table, path)?.kind !== 'dynamic') continue;
    const column = columnOf(table, path);
    if (column === undefined || !/^JSON\b/.test(column.type)) continue;
    const known = await pathsOf(asking, question, column.name);
    if (known === undefined || known.looked === 0) continue;
    const typed = fieldsOf(table).map((field) => field.path);
    const paths = [...typed, ...known.paths.map((each) => `${column.name}.${each}`)];
    if (isKnown(path, paths)) continue;
    found.push({ path, looked: known.looked, nearest: nearestTo(clause, question.lql, paths) });
  }
  return found;
}

/** The paths of a JSON column in the rows of the time range, whatever the filter. */
async function pathsOf(
  asking: Asking,
  question: LogQuestion,
  column: string,
): Promise<{ readonly paths: readonly string[]; readonly looked: number } | undefined> {
  const all = { ...question, lql: '' };
  const answer = await rows(asking, ask(all, { language: 'lql', text: filterText(all) }), (sql = '') =>
    sqlAsk(
      all,
      [
        'SELECT count() AS looked, groupUniqArrayArray(JSONAllPaths(paths)) AS paths',
        `FROM (\nSELECT ${sqlName(column)} AS paths FROM (\n${sql}\n)`,
        ...outerWhere(all),
        `LIMIT ${LOOKED}`,
        ')',
      ].join('\n'),
    ),
  );
  const row = answer?.[0];
  const paths = row?.['paths'];
  if (!Array.isArray(paths)) return undefined;
  return { paths: paths.map(String), looked: Number(row?.['looked'] ?? 0) };
}

/** A path is also known if it contains a known one, or is inside of one, such as a list. */
function isKnown(path: string, paths: readonly string[]): boolean {
  return paths.some(
    (each) =>
      each === path || each.startsWith(`${path}.`) || (path.startsWith(`${each}.`) && each.includes('.')),
  );
}

function nearestTo(clause: FieldFilter, lql: string, paths: readonly string[]): UnknownField['nearest'] {
  const written = clause.path.segments.join('.');
  const parent = written.slice(0, written.lastIndexOf('.') + 1);
  const nameable = paths.filter((path) => unnameable(path) === undefined);
  const siblings = nameable.filter((path) => path.startsWith(parent));
  const sibling = nearest(
    written.slice(parent.length),
    siblings.map((path) => path.slice(parent.length)),
  );
  const path = sibling === undefined ? nearest(written, nameable) : `${parent}${sibling}`;
  if (path === undefined) return undefined;
  const text = print({ clauses: [{ ...clause, path: pathOf(path) }] });
  return { path, lql: replace(lql, clause.span, text) };
}
