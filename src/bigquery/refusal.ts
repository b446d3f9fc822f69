// Errors in a BigQuery query, converted to a Problem with a location in the original query.
import { positionAt } from '../core/position.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';

/** This module's problem codes. */
export type BigQueryCode = Extract<ProblemCode, `bigquery.${string}`>;

/** An error at an offset; `hint` says what to write instead. */
export interface Complaint {
  readonly code: BigQueryCode;
  readonly at: number;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Carries a complaint to the entry point, where the query text is known. Never leaves this module. */
export class Refusal extends Error {
  readonly complaint: Complaint;

  constructor(complaint: Complaint) {
    super(complaint.message);
    this.name = 'Refusal';
    this.complaint = complaint;
  }
}

/** Throws: invalid BigQuery syntax, or syntax that the parser does not support. */
export function syntax(at: number, message: string, hint?: string): never {
  throw new Refusal({ code: 'bigquery.syntax_invalid', at, message, hint });
}

/** Throws: valid in BigQuery, but not translated. */
export function untranslated(at: number, message: string, hint?: string): never {
  throw new Refusal({ code: 'bigquery.unsupported', at, message, hint });
}

/** Throws: unknown table, column or function. */
export function unknown(at: number, message: string, hint?: string): never {
  throw new Refusal({ code: 'bigquery.name_unknown', at, message, hint });
}

/** Throws: the query exceeds a limit on length, nesting or size. */
export function tooLarge(at: number, message: string): never {
  throw new Refusal({ code: 'bigquery.too_large', at, message });
}

/** Converts a complaint about `text` to a Problem. */
export function problemOf(text: string, { code, at, message, hint }: Complaint): Problem {
  const place = positionAt(text, Math.min(at, text.length));
  const detail = `${message} (line ${place.line}, column ${place.column})`;
  return new Problem(code, {
    detail,
    errors: [{ ...place, message }],
    ...(hint === undefined ? {} : { hint }),
  });
}
