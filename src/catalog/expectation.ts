// What an example expects of its call, as far as others than the test command have to know.
import type { Expectation } from '../config/generated/endpoint.ts';

/** The status that a call should be answered with: 200, unless the file says otherwise; undefined where a code alone is given. */
export function expectedStatus({ status, code }: Expectation): number | undefined {
  return status ?? (code === undefined ? 200 : undefined);
}

/** Whether the call is meant to be refused. */
export function isRefusalExpected(expect: Expectation = {}): boolean {
  return (expectedStatus(expect) ?? 400) >= 400;
}
