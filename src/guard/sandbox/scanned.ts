// A consumer query that has been read, and other queries that are made of it.
import { Problem } from '../../sql/base/problem.ts';
import { editedText, lexConsumerQuery, type LexedQuery, type TokenEdit } from './lexed-query.ts';
import type { Surface } from './scan/scan.ts';
import { scanConsumerQuery, type ScanResult } from './scan/scanner.ts';

/** A query may read these. */
export interface ScanContext {
  readonly surface: Surface;
  readonly isColumn: (name: string) => boolean;
}

/** A query that has been read, and what the scan has found in it. */
export interface Scanned {
  readonly query: LexedQuery;
  readonly scanned: ScanResult;
}

/** @throws Problem sandbox.* */
export function scan(query: LexedQuery, { surface, isColumn }: ScanContext): Scanned {
  return { query, scanned: scanConsumerQuery(query, surface, isColumn) };
}

/** A query with edits is another query: it is read and scanned as a whole again, since an edit could change what the rest of it means. */
export function edit(sent: Scanned, edits: readonly TokenEdit[], context: ScanContext): Scanned {
  return edits.length === 0 ? sent : scan(lexConsumerQuery(editedText(sent.query, edits)), context);
}

/** The query with edits that it can do without; undefined if it is rejected with them, as too long. */
export function tryEdit(
  sent: Scanned,
  edits: readonly TokenEdit[],
  context: ScanContext,
): Scanned | undefined {
  try {
    return edits.length === 0 ? undefined : edit(sent, edits, context);
  } catch (error) {
    return orNone(error);
  }
}

/** Undefined for a Problem; throws anything else. */
export function orNone(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}
