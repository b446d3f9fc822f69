// Checks of the log views of a file: its tables and parameters, and the columns that the engine reports.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';

import type { EndpointFile, LogsView } from '../../config/generated/endpoint.ts';
import type { Path } from '../../config/yaml-document.ts';
import type { Column } from '../../engine/engine.ts';
import { isFault } from '../../../sql/lql/finding.ts';
import { createResolver } from '../../../sql/lql/resolve.ts';
import { isTable } from '../../../sql/clickhouse/outline.ts';
import type { LogViewPolicy } from '../endpoint.ts';
import type { FileChecks } from './check.ts';
import { isDateTime, plainTypeOf } from '../../../sql/types/traits.ts';

export const VIEW_PATH_CODES: Codes = {
  'view.unknown_path': {
    title: 'A log view with a column that does not exist',
    help: 'Paths are written as in LQL: a column of the table, a path of a JSON column, a key of a Map, an element of a Tuple. The hint suggests the closest name.',
  },
  'view.time_type': {
    title: 'The time of a log view is not a time',
    help: 'Rows are ordered by a column of type DateTime or DateTime64: name another one, or convert it in the WITH clause.',
  },
};

interface PlacedView {
  readonly view: LogsView;
  readonly path: Path;
}

/** The declared log views with their places in the file. */
function logViewsOf({ view }: Pick<EndpointFile, 'view'>): readonly PlacedView[] {
  const logs = view?.logs;
  if (logs === undefined) return [];
  if (!Array.isArray(logs)) return [{ view: logs, path: ['view', 'logs'] }];
  return logs.map((each, index) => ({ view: each, path: ['view', 'logs', index] }));
}

/** The log views as the listing has them: paths with `metadata.` in full. Undefined: none is declared. */
export function logViewPolicies(file: EndpointFile): readonly LogViewPolicy[] | undefined {
  if (file.view === undefined) return undefined;
  return logViewsOf(file).map(({ view }) =>
    Object.freeze({
      table: view.table,
      time: view.time,
      message: view.message && fullPath(view.message),
      level: view.level && fullPath(view.level),
      columns: (view.columns ?? []).map(fullPath),
      facets: (view.facets ?? []).map(fullPath),
      from: view.from,
      to: view.to,
    }),
  );
}

/** `m.x` is short for `metadata.x`, as in LQL. */
function fullPath(path: string): string {
  return path.startsWith('m.') ? `metadata${path.slice(1)}` : path;
}

export const VIEW_CHECKS: FileChecks = {
  'view.without_lql': {
    title: 'A log view of an endpoint without LQL',
    help: 'The log view of the explorer searches by consumer queries in LQL: enable the sandbox with lql, or remove view.logs.',
    *check({ file }) {
      if (file.view === undefined) return;
      const path = ['view', 'logs'];
      if (file.sandbox?.enabled !== true)
        yield {
          path,
          onKey: true,
          message: 'a log view sends consumer queries, which this endpoint does not accept',
          hint: 'Set sandbox: { enabled: true }, or remove it',
        };
      else if (file.sandbox.languages?.includes('lql') === false)
        yield {
          path,
          onKey: true,
          message: 'a log view sends LQL, which this endpoint does not accept',
          hint: 'Add lql to sandbox.languages, or remove it',
        };
    },
  },
  'view.unknown_table': {
    title: 'A log view of a table that consumer queries cannot read',
    help: 'A log view has a table of the WITH clause, or an included one that sandbox.tables names.',
    *check({ file, variants }, { guess }) {
      if (variants.some(({ outline }) => outline === undefined)) return;
      const elements = variants.flatMap(({ outline }) => outline?.elements ?? []);
      const readable = new Set(elements.filter(({ kind }) => kind === 'table').map(({ name }) => name));
      const all = new Set(elements.filter(isTable).map(({ name }) => name));
      for (const { view, path } of logViewsOf(file)) {
        if (readable.has(view.table)) continue;
        const hint = didYouMean(guess(view.table, readable));
        yield {
          path: [...path, 'table'],
          message: all.has(view.table)
            ? `consumer queries cannot read the table ${view.table}`
            : `the query has no table ${view.table}, in its WITH clause or included`,
          ...(all.has(view.table)
            ? { hint: `Add ${view.table} to sandbox.tables` }
            : hint === undefined
              ? {}
              : { hint }),
        };
      }
    },
  },
  'view.repeated_table': {
    title: 'Two log views of one table',
    help: 'Write one log view for each table.',
    *check({ file }) {
      const views = logViewsOf(file);
      for (const [index, { view, path }] of views.entries())
        if (views.findIndex((each) => each.view.table === view.table) < index)
          yield { path: [...path, 'table'], message: `the table ${view.table} has a log view already` };
    },
  },
  'view.invalid_parameter': {
    title: 'A log view is bounded by something that is not a time parameter',
    help: 'from and to are names of declared parameters of type DateTime or DateTime64, which bound the rows of the table. Without them, the log view bounds the time in its queries.',
    *check({ file, parameters }, { guess }) {
      const times = [...parameters.values()]
        .filter(({ type }) => isInstant(type.name))
        .map(({ name }) => name);
      for (const { view, path } of logViewsOf(file))
        for (const key of ['from', 'to'] as const) {
          const name = view[key];
          if (name === undefined || times.includes(name)) continue;
          const isDeclared = file.parameters?.[name] !== undefined;
          if (isDeclared && !parameters.has(name)) continue; // its own finding comes first
          const hint = didYouMean(guess(name, times));
          yield {
            path: [...path, key],
            message: isDeclared
              ? `the parameter ${name} is not a time: its type is not DateTime or DateTime64`
              : `there is no parameter ${name}`,
            ...(hint === undefined ? {} : { hint }),
          };
        }
    },
  },
};

function isInstant(type: string): boolean {
  return isDateTime(plainTypeOf(type));
}

/** What is wrong with the paths of the log views of a table, once its columns are known. */
export function checkLogViews(
  file: EndpointFile,
  table: { readonly name: string; readonly columns: readonly Column[] },
): readonly PathFinding[] {
  const resolve = createResolver(table, table.name);
  return logViewsOf(file)
    .filter(({ view }) => view.table === table.name)
    .flatMap(({ view, path }) => [
      ...timeFindings(view, [...path, 'time'], table.columns),
      ...placedPaths(view, path).flatMap((each) => pathFinding(each, resolve) ?? []),
    ]);
}

function timeFindings({ time }: LogsView, path: Path, columns: readonly Column[]): readonly PathFinding[] {
  const column = columns.find(({ name }) => name === time);
  if (column !== undefined && isInstant(column.type)) return [];
  const times = columns.filter(({ type }) => isInstant(type)).map(({ name }) => name);
  const hint =
    didYouMean(nearest(time, times)) ?? (times.length === 0 ? undefined : `One of: ${times.join(', ')}`);
  return [
    {
      code: column === undefined ? 'view.unknown_path' : 'view.time_type',
      path,
      message:
        column === undefined
          ? `the table has no column ${time}`
          : `${time} is ${column.type}, and the time of a row is DateTime or DateTime64`,
      ...(hint === undefined ? {} : { hint }),
    },
  ];
}

interface PlacedPath {
  readonly text: string;
  readonly path: Path;
}

function placedPaths(
  { message, level, columns = [], facets = [] }: LogsView,
  path: Path,
): readonly PlacedPath[] {
  return [
    ...(message === undefined ? [] : [{ text: message, path: [...path, 'message'] }]),
    ...(level === undefined ? [] : [{ text: level, path: [...path, 'level'] }]),
    ...columns.map((text, index) => ({ text, path: [...path, 'columns', index] })),
    ...facets.map((text, index) => ({ text, path: [...path, 'facets', index] })),
  ];
}

function pathFinding(
  { text, path }: PlacedPath,
  resolve: ReturnType<typeof createResolver>,
): PathFinding | undefined {
  const value = resolve({ segments: fullPath(text).split('.'), span: { start: 0, end: 0 } });
  if (!isFault(value)) return undefined;
  const { message, hint } = value;
  return { code: 'view.unknown_path', path, message, ...(hint === undefined ? {} : { hint }) };
}
