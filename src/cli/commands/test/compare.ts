// Compares the result of a call with what its example expects.
import { expectedStatus } from '../../../service/endpoints/expectation.ts';
import type { Expectation } from '../../../service/config/generated/endpoint.ts';
import type { PathFinding } from '../../../sql/base/finding.ts';
import { differences, printPath, show } from './difference.ts';

/** The result, as a caller would receive it. */
export type Outcome = Answered | Rejected;

export interface Answered {
  readonly kind: 'answered';
  readonly rows: readonly unknown[];
  readonly truncated: boolean;
  /** Names of the result columns, in order; undefined if they were not determined. */
  readonly columns: readonly string[] | undefined;
}

export interface Rejected {
  readonly kind: 'rejected';
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** One difference; `path` is relative to `expect`, and empty if the example expects no explicit status. */
export type Mismatch = Pick<PathFinding, 'path' | 'message'>;

/** Further differences would not help. */
const MAX_DIFFERENCES = 5;

/** All differences; an example without expectations expects a successful response. */
export function compare(expect: Expectation, outcome: Outcome): readonly Mismatch[] {
  const mismatches = compareStatus(expect, outcome);
  if (mismatches.length > 0 || outcome.kind === 'rejected') return mismatches;
  return compareAnswer(expect, outcome);
}

function compareStatus(expect: Expectation, outcome: Outcome): readonly Mismatch[] {
  const expected = expectedStatus(expect);
  const status = outcome.kind === 'answered' ? 200 : outcome.status;
  if (expected !== undefined && expected !== status) {
    const path = expect.status === undefined ? [] : ['status'];
    return [{ path, message: `expected status ${expected}, got ${describe(outcome)}` }];
  }
  const code = outcome.kind === 'answered' ? undefined : outcome.code;
  if (expect.code === undefined || expect.code === code) return [];
  return [{ path: ['code'], message: `expected ${expect.code}, got ${describe(outcome)}` }];
}

function describe(outcome: Outcome): string {
  if (outcome.kind === 'answered') return `200 with ${count(outcome.rows.length)}`;
  return `${outcome.status} ${outcome.code}: ${outcome.message}`;
}

function compareAnswer(expect: Expectation, { rows, truncated, columns }: Answered): readonly Mismatch[] {
  const mismatches: Mismatch[] = [];
  if (expect.columns !== undefined && columns !== undefined && !isSame(expect.columns, columns))
    mismatches.push({
      path: ['columns'],
      message: `expected ${expect.columns.join(', ')}; got ${columns.join(', ')}`,
    });
  if (expect.rows !== undefined && expect.rows !== rows.length)
    mismatches.push({ path: ['rows'], message: `expected ${count(expect.rows)}, got ${rows.length}` });
  if (expect.truncated !== undefined && expect.truncated !== truncated)
    mismatches.push({
      path: ['truncated'],
      message: `expected ${expect.truncated}, got ${truncated}: ${count(rows.length)} came back`,
    });
  if (expect.result !== undefined) mismatches.push(...compareRows(expect.result, rows));
  return mismatches;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}

function compareRows(expected: readonly unknown[], rows: readonly unknown[]): readonly Mismatch[] {
  const mismatches: Mismatch[] = [];
  if (expected.length !== rows.length)
    mismatches.push({
      path: ['result'],
      message: `expected ${count(expected.length)}, got ${rows.length}`,
    });
  for (const { path, expected: want, actual } of differences(expected, rows, ['result'])) {
    if (mismatches.length === MAX_DIFFERENCES) {
      mismatches.push({ path: ['result'], message: 'more differences were omitted' });
      break;
    }
    mismatches.push({ path, message: `${printPath(path)}: expected ${show(want)}, got ${show(actual)}` });
  }
  return mismatches;
}

function count(rows: number): string {
  return `${rows} row${rows === 1 ? '' : 's'}`;
}
