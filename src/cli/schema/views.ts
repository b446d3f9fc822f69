// Views and materialized views.
import { aliasStatement } from './engine-clause.ts';
import { printName } from '../../sql/definition/qualified-name.ts';
import type { CreateRecord } from '../../sql/definition/record.ts';
import type { StatementContext, Normalised } from './step.ts';
import { bodiesOf, createTable, normaliseTable } from './tables.ts';

export function normaliseView({ name, clauses, columns }: CreateRecord): Normalised {
  const query = clauses.get('query');
  if (query === undefined) return { kind: 'unknown', target: name, message: 'AS SELECT is missing' };
  const names = columns?.columns.map(({ sql }) => sql);
  const start = `CREATE OR REPLACE VIEW ${printName(name)}`;
  const plain = `${start} AS ${query}`;
  const attempts = names === undefined ? [plain] : [`${start} (${names.join(', ')}) AS ${query}`, plain];
  return { kind: 'step', action: 'create', target: name, what: 'view', attempts };
}

/**
 * A view that inserts into its table as on the server; one that is refreshed on a schedule is only that table. So is one
 * whose source is missing.
 */
export function normaliseMaterialized(record: CreateRecord, context: StatementContext): Normalised {
  const { name, ifNotExists, clauses, to: target } = record;
  const query = clauses.get('query');
  if (query === undefined) return { kind: 'unknown', target: name, message: 'AS SELECT is missing' };
  const start = `CREATE MATERIALIZED VIEW ${ifNotExists ? 'IF NOT EXISTS ' : ''}${printName(name)}`;
  const isRefreshed = clauses.has('refresh');
  const [body] = bodiesOf(record, context);
  const storage =
    target === undefined ? `${body?.columns ?? ''}${body?.engine ?? ''}` : ` TO ${printName(target)}`;
  const live = isRefreshed ? [] : [`${start}${storage} AS ${query}`];
  const table = normaliseTable(record, context);
  const stored =
    target !== undefined
      ? [aliasStatement(createTable(record), name, target)]
      : table.kind === 'step'
        ? table.attempts
        : [];
  return {
    kind: 'step',
    action: 'create',
    target: name,
    what: 'materialized view',
    attempts: [...live, ...stored],
    needs: target,
  };
}
