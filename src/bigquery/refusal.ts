// What is wrong with a BigQuery text, and where: always a Problem, at a place of the caller's own text.
import { positionAt } from '../core/position.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';

/** Codes of this room's problems. */
export type BigQueryCode = Extract<ProblemCode, `bigquery.${string}`>;

/** A complaint about what stands at an offset; `hint` says what to write instead. */
export interface Complaint {
  readonly code: BigQueryCode;
  readonly at: number;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A complaint on its way to where the text is known. Never leaves this room. */
export class Refusal extends Error {
  readonly complaint: Complaint;

  constructor(complaint: Complaint) {
    super(complaint.message);
    this.name = 'Refusal';
    this.complaint = complaint;
  }
}

/** Throws: the text is not what BigQuery reads, or not understood here. */
export function syntax(at: number, message: string, hint?: string): never {
  throw new Refusal({ code: 'bigquery.syntax_invalid', at, message, hint });
}

/** Throws: BigQuery has this, and no translation is made of it. */
export function untranslated(at: number, message: string, hint?: string): never {
  throw new Refusal({ code: 'bigquery.unsupported', at, message, hint });
}

/** Throws: there is no table, column or function of that name. */
export function unknown(at: number, message: string, hint?: string): never {
  throw new Refusal({ code: 'bigquery.name_unknown', at, message, hint });
}

/** Throws: longer, deeper or more than is read. */
export function tooLarge(at: number, message: string): never {
  throw new Refusal({ code: 'bigquery.too_large', at, message });
}

/** The Problem of a complaint about `text`. */
export function problemOf(text: string, { code, at, message, hint }: Complaint): Problem {
  const place = positionAt(text, Math.min(at, text.length));
  const detail = `${message} (line ${place.line}, column ${place.column})`;
  return new Problem(code, {
    detail,
    errors: [{ ...place, message }],
    ...(hint === undefined ? {} : { hint }),
  });
}
