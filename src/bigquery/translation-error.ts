// Errors in a BigQuery query, converted to a Problem with a location in the original query.
import { positionAt } from '../core/position.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';

/** This module's problem codes. */
export type BigQueryCode = Extract<ProblemCode, `bigquery.${string}`>;

/** An error at an offset; `hint` says what to write instead. */
export interface TranslationFault {
  readonly code: BigQueryCode;
  readonly at: number;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Carries a fault to the entry point, where the query text is known. Never leaves this module. */
export class TranslationError extends Error {
  readonly fault: TranslationFault;

  constructor(fault: TranslationFault) {
    super(fault.message);
    this.name = 'TranslationError';
    this.fault = fault;
  }
}

/** Throws: invalid BigQuery syntax, or syntax that the parser does not support. */
export function syntax(at: number, message: string, hint?: string): never {
  throw new TranslationError({ code: 'bigquery.syntax_invalid', at, message, hint });
}

/** Throws: valid in BigQuery, but not translated. */
export function untranslated(at: number, message: string, hint?: string): never {
  throw new TranslationError({ code: 'bigquery.unsupported', at, message, hint });
}

/** Throws: unknown table, column or function. */
export function unknown(at: number, message: string, hint?: string): never {
  throw new TranslationError({ code: 'bigquery.name_unknown', at, message, hint });
}

/** Throws: the query exceeds a limit on length, nesting or size. */
export function tooLarge(at: number, message: string): never {
  throw new TranslationError({ code: 'bigquery.too_large', at, message });
}

/** Converts a fault in `text` to a Problem. */
export function problemOf(text: string, { code, at, message, hint }: TranslationFault): Problem {
  const position = positionAt(text, Math.min(at, text.length));
  const detail = `${message} (line ${position.line}, column ${position.column})`;
  return new Problem(code, {
    detail,
    errors: [{ ...position, message }],
    ...(hint === undefined ? {} : { hint }),
  });
}
