// The table of SQL dialects: how a query in each is translated, and which problems mean that it could not be parsed.
import type { TableColumns } from '../../endpoints/read-tables.ts';
import type { Dialect, Endpoint } from '../../endpoints/endpoint.ts';
import type { ProblemCode } from '../../../sql/base/problem.ts';
import { translateBigQuery } from './bigquery-query.ts';
import { BIGQUERY_EVIDENCE } from './bigquery-evidence.ts';
import { isReadAsBigQuery } from './bigquery-readings.ts';
import { CLICKHOUSE_EVIDENCE } from './clickhouse-evidence.ts';
import type { Evidence, EvidenceText } from './dialect-evidence.ts';
import type { TranslatedQuery } from './translated-query.ts';

export interface DialectRow {
  /** Throws Problem for a query that cannot be translated. Undefined: queries are ClickHouse SQL as they are. */
  readonly translate:
    | ((text: string, endpoint: Endpoint, tables: readonly TableColumns[]) => TranslatedQuery)
    | undefined;
  /** Problems that mean the query could not be parsed; any other means it was parsed and then rejected. */
  readonly unparsed: readonly ProblemCode[];
  /** What only queries in this dialect have. */
  readonly evidence: Evidence;
  /** Returns whether the query has a construct that other dialects have, too, and this one reads otherwise. */
  readonly reads?: (text: EvidenceText) => boolean;
}

export const DIALECTS: Readonly<Record<Dialect, DialectRow>> = {
  clickhouse: {
    translate: undefined,
    unparsed: ['sandbox.query_invalid', 'sandbox.syntax_unsupported'],
    evidence: CLICKHOUSE_EVIDENCE,
  },
  bigquery: {
    translate: translateBigQuery,
    unparsed: ['bigquery.syntax_invalid'],
    evidence: BIGQUERY_EVIDENCE,
    reads: isReadAsBigQuery,
  },
};
