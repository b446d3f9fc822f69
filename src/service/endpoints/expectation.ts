// What an example expects of its call, for code outside the test command.
import type { Example, Expectation } from '../config/generated/endpoint.ts';

/** The expected status: 200 by default; undefined if only a code is given. */
export function expectedStatus({ status, code }: Expectation): number | undefined {
  return status ?? (code === undefined ? 200 : undefined);
}

/** Returns whether the call is expected to be rejected. */
export function isRejectionExpected(expect: Expectation = {}): boolean {
  return (expectedStatus(expect) ?? 400) >= 400;
}

/** Examples with their own clock or rows, and those that expect a rejection, tell consumers nothing. */
export function isShown({ test_only: isTestOnly, now, fixtures, expect }: Example): boolean {
  if (isTestOnly === true || now !== undefined || fixtures !== undefined) return false;
  return !isRejectionExpected(expect);
}
