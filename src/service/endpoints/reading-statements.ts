// The statements that an endpoint runs.
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import type { Endpoint } from './endpoint.ts';
import { isTable } from '../../sql/clickhouse/outline.ts';

/** A statement with typed placeholders, and values with which the engine may accept it. */
export interface ReadingStatement {
  readonly sql: string;
  readonly samples: readonly Readonly<Record<string, string>>[];
}

/** The saved query of an endpoint, or those that read these tables of its WITH clause. */
export function readingStatements(
  { query, outline, samples }: Pick<Endpoint, 'query' | 'outline' | 'samples'>,
  tables: readonly string[] | undefined,
): readonly ReadingStatement[] {
  const clause = query.slice(outline.withStart, outline.withEnd);
  const isPlain = outline.elements.every(isTable);
  // What other elements compute may be in any query.
  const saved = tables === undefined || !isPlain ? [query] : [];
  const reads = (tables ?? []).map((name) => `${clause}\nSELECT * FROM ${quoteIdentifier(name)}`);
  return [...reads, ...saved].map((sql) => ({ sql, samples: samples() }));
}
