// BigQuery on its way to the engine, and problems with what it became told at their places in the caller's text.
import { translate, type Translation } from '../bigquery/translate.ts';
import type { TableColumns } from '../catalog/describe.ts';
import type { Endpoint } from '../catalog/endpoint.ts';
import { positionAt } from '../core/position.ts';
import { Problem, type ProblemDetail } from '../core/problem.ts';

/** The ClickHouse SQL of a BigQuery text, to be checked like any consumer's. Throws Problem `bigquery.*`. */
export function bigqueryToSql(
  text: string,
  { outline }: Endpoint,
  tables: readonly TableColumns[],
): Translation {
  return translate(text, { tables, taken: outline.identifiers });
}

/** A problem with the translation as one with the text: the same in the caller's own words and at their place. */
export function inCallersText(problem: Problem, text: string, translation: Translation): Problem {
  const errors = problem.errors.map((error) => placed(error, text, translation));
  const [first] = errors;
  const { code, cause } = problem;
  if (first === undefined) return problem;
  const detail = `${first.message} (line ${first.line}, column ${first.column})`;
  return new Problem(code, { detail, errors, cause });
}

/** The SQL is one line, so that a column is an offset. */
function placed({ message, column = 1 }: ProblemDetail, text: string, { sourceOffset }: Translation) {
  const offset = sourceOffset(column - 1);
  const [construct] = /^[\w.]+(?=\s*\()|^\w+/.exec(text.slice(offset, offset + 100)) ?? [];
  const isSaid = construct === undefined || message.includes(construct);
  return {
    ...positionAt(text, offset),
    message: isSaid ? message : `${message}, which ${construct} is written with`,
  };
}
