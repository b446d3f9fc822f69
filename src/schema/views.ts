// Views and materialized views.
import { aliasStatement } from './engine-clause.ts';
import { printName, readName } from './name.ts';
import type { StatementContext, Normalised } from './step.ts';
import {
  bodiesOf,
  clauseOf,
  columnsOf,
  createTable,
  normaliseTable,
  textOf,
  type CreateParts,
} from './tables.ts';

export function normaliseView(parts: CreateParts): Normalised {
  const { name } = parts.head;
  const query = textOf(parts, 'query');
  if (query === undefined) return { kind: 'unknown', target: name, message: 'AS SELECT is missing' };
  const names = columnsOf(parts)?.columns.map(({ sql }) => sql);
  const start = `CREATE OR REPLACE VIEW ${printName(name)}`;
  const plain = `${start} AS ${query}`;
  const attempts = names === undefined ? [plain] : [`${start} (${names.join(', ')}) AS ${query}`, plain];
  return { kind: 'step', action: 'create', target: name, what: 'view', attempts };
}

/**
 * A view that inserts into its table as on the server; one that is refreshed on a schedule is only that table. So is one
 * whose source is missing.
 */
export function normaliseMaterialized(parts: CreateParts, context: StatementContext): Normalised {
  const { name, ifNotExists } = parts.head;
  const query = textOf(parts, 'query');
  if (query === undefined) return { kind: 'unknown', target: name, message: 'AS SELECT is missing' };
  const start = `CREATE MATERIALIZED VIEW ${ifNotExists ? 'IF NOT EXISTS ' : ''}${printName(name)}`;
  const isRefreshed = clauseOf(parts, 'refresh') !== undefined;
  const to = clauseOf(parts, 'to');
  const target = to === undefined ? undefined : readName(parts.cursor, to.from, context.database)?.name;
  const [body] = bodiesOf(parts, context);
  const storage =
    target === undefined ? `${body?.columns ?? ''}${body?.engine ?? ''}` : ` TO ${printName(target)}`;
  const live = isRefreshed ? [] : [`${start}${storage} AS ${query}`];
  const table = normaliseTable(parts, context);
  const stored =
    target !== undefined
      ? [aliasStatement(createTable(parts), name, target)]
      : table.kind === 'step'
        ? table.attempts
        : [];
  return {
    kind: 'step',
    action: 'create',
    target: name,
    what: 'materialized view',
    attempts: [...live, ...stored],
  };
}
