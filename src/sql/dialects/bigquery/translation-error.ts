// Errors in a BigQuery query, converted to a Problem with a location in the original query.
import { positionAt } from '../../base/position.ts';
import { Problem, type ProblemCode } from '../../base/problem.ts';
import type { UnconvertedError } from '../context.ts';
import type { ConversionCode } from '../conversion.ts';

/** All other codes are of valid queries that are not translated. */
const CODES: Partial<Record<ConversionCode, ProblemCode>> = {
  syntax: 'bigquery.syntax_invalid',
  statement: 'bigquery.syntax_invalid',
  name_unknown: 'bigquery.name_unknown',
  too_large: 'bigquery.too_large',
};

/** An error in `text` as a Problem. */
export function problemOf(
  text: string,
  { code, at, message, hint }: Pick<UnconvertedError, 'code' | 'at' | 'message' | 'hint'>,
): Problem {
  const position = positionAt(text, Math.min(at, text.length));
  const detail = `${message} (line ${position.line}, column ${position.column})`;
  return new Problem(CODES[code] ?? 'bigquery.unsupported', {
    detail,
    errors: [{ ...position, message }],
    ...(hint === undefined ? {} : { hint }),
  });
}
