// What callers receive for engine failures: 500 is reserved for errors that an endpoint's author has to fix.
import { describe, expect, test } from 'vitest';
import { Problem } from '../../../src/sql/base/problem.ts';
import { EngineError, type EngineFailure } from '../../../src/service/engine/engine.ts';
import { createRedactor } from '../../../src/guard/redact/redactor.ts';
import { checkProblem, runProblem, withoutValues } from '../../../src/service/request/engine-problems.ts';
import type { PlannedQuery } from '../../../src/service/request/planned-query.ts';

const TOTAL = 'Code: 241. DB::Exception: (total) memory limit exceeded: would use 2.01 GiB';
const OWN = 'Code: 241. DB::Exception: Query memory limit exceeded: would use 2.01 GiB';

function planOf(origin: 'saved' | 'consumer'): PlannedQuery {
  const limits = { time: 1, memory: 1, readRows: 0, resultBytes: 1 };
  return {
    statement: { sql: 'SELECT 1', parameters: {}, limits, origin, int64: 'number' },
    canonical: '',
    consumerQuery: undefined,
    overRedacted: undefined,
    blame: () => undefined,
  };
}

interface Row {
  readonly failure: EngineFailure;
  readonly message?: string;
  readonly saved: string;
  readonly consumer: string;
}

describe('a run that fails', () => {
  test.each<Row>([
    { failure: 'rejected', saved: '500 endpoint.failed', consumer: '422 query.failed' },
    { failure: 'memory', message: OWN, saved: '500 endpoint.failed', consumer: '422 query.too_expensive' },
    { failure: 'memory', message: TOTAL, saved: '503 engine.busy', consumer: '422 query.too_expensive' },
    { failure: 'limit', saved: '500 endpoint.failed', consumer: '422 query.too_expensive' },
    { failure: 'timeout', saved: '504 engine.timeout', consumer: '504 engine.timeout' },
    { failure: 'busy', saved: '503 engine.busy', consumer: '503 engine.busy' },
    { failure: 'unavailable', saved: '503 engine.unavailable', consumer: '503 engine.unavailable' },
  ])('$failure: saved $saved, a consumer’s $consumer', ({ failure, message = 'x', saved, consumer }) => {
    const { signal } = new AbortController();
    const error = new EngineError(failure, message);
    expect(reported(runProblem(error, planOf('saved'), signal))).toBe(saved);
    expect(reported(runProblem(error, planOf('consumer'), signal))).toBe(consumer);
  });
});

describe('a check that fails', () => {
  test.each<{ failure: EngineFailure; problem: string }>([
    { failure: 'busy', problem: '503 engine.busy' },
    { failure: 'unavailable', problem: '503 engine.unavailable' },
    { failure: 'timeout', problem: '504 engine.timeout' },
    { failure: 'aborted', problem: '504 engine.timeout' },
    { failure: 'memory', problem: '400 sandbox.too_large' },
    { failure: 'limit', problem: '400 sandbox.too_large' },
    { failure: 'invalid_response', problem: '502 engine.invalid_response' },
  ])('$failure: $problem', ({ failure, problem }) => {
    const found = checkProblem(new EngineError(failure, 'x'));
    expect(reported(found)).toBe(problem);
    if (problem.startsWith('503')) expect(found).toMatchObject({ retryAfter: 1 });
  });

  test('any other error is passed through', () => {
    const error = new Error('x');
    expect(checkProblem(error)).toBe(error);
  });
});

describe('a message with a value of megabytes', () => {
  const before = 'Code: 6. DB::Exception: Cannot parse string ';
  const after = ' as UInt8: syntax error (CANNOT_PARSE_TEXT)';
  const messageOf = (value: string): string => `${before}'${value}'${after}`;
  const LONG = 20_000_000;

  test('has its beginning and its end', () => {
    const { message } = new EngineError('rejected', messageOf('x'.repeat(LONG)));
    expect(message.length).toBeLessThan(100_000);
    expect(message.startsWith(before)).toBe(true);
    expect(message.endsWith(after)).toBe(true);
    const short = messageOf('x');
    expect(new EngineError('rejected', short).message).toBe(short);
  });

  test.each([
    ['one value', messageOf('secret '.repeat(LONG / 7))],
    [
      'a value with a quote in what is left out',
      messageOf(`${'x'.repeat(LONG / 2)}\\'${'secret '.repeat(LONG / 14)}`),
    ],
    ['a value that is cut between its escapes', messageOf(`secret ${String.raw`\'`.repeat(LONG)}`)],
    ['a value that is cut within an escape', messageOf(`secrets ${String.raw`\'`.repeat(LONG)}`)],
    ['several values', `${messageOf('x'.repeat(LONG))}, ${messageOf('secret '.repeat(9000))}`],
    [
      'values that look like text',
      `${before}${"'a' secret 'b'".repeat(LONG / 14).replaceAll("' secret '", "\\' secret \\'")}`,
    ],
  ])('is logged without it: %s', (_, message) => {
    const { signal } = new AbortController();
    const problem = runProblem(new EngineError('rejected', message), planOf('consumer'), signal);
    const logged = withoutValues(problem, createRedactor({}));
    expect(logged).toMatchObject({
      code: 'query.failed',
      cause: { message: expect.stringContaining(`${before}'…'`) },
    });
    expect(logged).not.toMatchObject({ cause: { message: expect.stringContaining('secret') } });
  });
});

function reported(error: unknown): string {
  return error instanceof Problem ? `${error.status} ${error.code}` : String(error);
}
