// The selected columns, newest row first.
import { quoteIdentifier } from '../clickhouse/literal.ts';
import { resultName, type StatementScope, type Shape } from './scope.ts';
import { findingAt, isFault, type LqlFinding } from './finding.ts';
import type { Select, Tree } from './tree.ts';

/** The `s:` clauses in order; all columns if there are none. */
export function selectSql(tree: Tree, scope: StatementScope): Shape {
  const selects = tree.clauses.filter((each): each is Select => each.kind === 'select');
  const taken = new Set<string>();
  const parts = selects.map((select) => columnSql(select, scope, taken));
  return {
    columns: parts.length === 0 ? '*' : parts.filter((part) => typeof part === 'string').join(', '),
    ending: newestFirst(scope),
    findings: parts.filter((part) => typeof part !== 'string'),
  };
}

function columnSql(
  select: Select,
  { table, resolve }: StatementScope,
  taken: Set<string>,
): string | LqlFinding {
  const { path, span } = select;
  const name = resultName(select);
  const names = name === undefined ? table.columns.map((column) => column.name) : [name];
  const repeated = names.find((each) => taken.has(each));
  if (repeated !== undefined) {
    return findingAt(span, {
      code: 'lql.column_repeated',
      message: `the result already has a column ${repeated}`,
      hint: path === undefined ? 'remove one' : 'remove one, or give this one another name with @name',
    });
  }
  for (const each of names) taken.add(each);
  if (path === undefined || name === undefined) return '*';
  const value = resolve(path);
  return isFault(value) ? value : `${value.shown} AS ${quoteIdentifier(name)}`;
}

function newestFirst({ resolve }: StatementScope): readonly string[] {
  const value = resolve({ segments: ['timestamp'], span: { start: 0, end: 0 } });
  const ordered = !isFault(value) && ORDERED.has(value.type.kind);
  return ordered ? [`ORDER BY ${value.sql} DESC`] : [];
}

const ORDERED: ReadonlySet<string> = new Set(['time', 'number', 'string']);
