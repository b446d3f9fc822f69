// Translates a BigQuery query to ClickHouse SQL and maps problems back to positions in the query as sent.
import { translate, type Translation } from '../../../sql/dialects/bigquery/translate.ts';
import type { TableColumns } from '../../endpoints/read-tables.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { positionAt } from '../../../sql/base/position.ts';
import { Problem, type ProblemDetail } from '../../../sql/base/problem.ts';
import type { TranslatedQuery } from './translated-query.ts';

/**
 * Translates a BigQuery query to ClickHouse SQL, which the sandbox then checks like any consumer query. Throws Problem
 * `bigquery.*`.
 */
export function translateBigQuery(
  text: string,
  { outline }: Endpoint,
  tables: readonly TableColumns[],
): TranslatedQuery {
  const translation = translate(text, { tables, taken: outline.identifiers });
  return { sql: translation.sql, inOriginal: (problem) => inBigQuery(problem, text, translation) };
}

/** Maps a problem with the translated SQL to the query as sent: its positions, and the construct found there. */
function inBigQuery(problem: Problem, text: string, translation: Translation): Problem {
  const errors = problem.errors.map((error) => locate(error, text, translation));
  const [first] = errors;
  const { code, cause } = problem;
  if (first === undefined) return problem;
  const detail = `${first.message} (line ${first.line}, column ${first.column})`;
  return new Problem(code, { detail, errors, cause });
}

/** The translated SQL is a single line, so a column is an offset + 1. */
function locate({ message, column = 1 }: ProblemDetail, text: string, { sourceOffset }: Translation) {
  const offset = sourceOffset(column - 1);
  const [construct] = /^[\w.]+(?=\s*\()|^\w+/.exec(text.slice(offset, offset + 100)) ?? [];
  const isNamed = construct === undefined || message.includes(construct);
  return {
    ...positionAt(text, offset),
    message: isNamed ? message : `${message} (used in the translation of ${construct})`,
  };
}
