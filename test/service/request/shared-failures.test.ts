// The failures of shared runs, as other callers are given them.
import { expect, test } from 'vitest';
import { Problem } from '../../../src/sql/base/problem.ts';
import { EngineError } from '../../../src/service/engine/engine.ts';
import { createSharedFailures } from '../../../src/service/request/reading/shared-failures.ts';
import type { PlannedQuery } from '../../../src/service/request/planned-query.ts';

const FAILURE = new EngineError('rejected', 'Cannot parse x');

function planOf(sent: string, blame: PlannedQuery['blame'] = () => undefined): PlannedQuery {
  const limits = { time: 1, memory: 1, readRows: 0, resultBytes: 1 };
  return {
    statement: { sql: 'SELECT 1', parameters: {}, limits, origin: 'consumer', int64: 'number' },
    canonical: '',
    consumerQuery: { sent, sql: 'SELECT 1', canonicalSql: 'SELECT 1', dialect: undefined },
    overRedacted: undefined,
    blame,
  };
}

const located = (line: number, cause: unknown): Problem =>
  new Problem('query.failed', {
    detail: `x (line ${line}, column 1)`,
    hint: 'Of the query',
    errors: [{ line, column: 1, message: 'x' }],
    cause,
  });

test.each([
  {
    why: 'its own location',
    blame: (cause: EngineError) => located(7, cause),
    errors: [{ line: 7, column: 1, message: 'x' }],
  },
  { why: 'none if it is not known', blame: () => undefined, errors: [] },
])('another query: $why', ({ blame, errors }) => {
  const failures = createSharedFailures();
  const problem = located(1, FAILURE);
  failures.note(problem, planOf('SELECT 1'));
  const own = failures.inOwnQuery(problem, planOf('SELECT\n1', blame));
  expect(own).toMatchObject({ code: 'query.failed', errors, cause: FAILURE });
  expect(own.message).not.toContain('line 1');
});

test.each([
  { why: 'without a cause', cause: undefined },
  { why: 'of another kind', cause: new EngineError('memory', 'x') },
])('a located problem $why has no location in another query', ({ cause }) => {
  const failures = createSharedFailures();
  const problem = located(1, cause);
  failures.note(problem, planOf('SELECT 1'));
  const own = failures.inOwnQuery(
    problem,
    planOf('SELECT\n1', (failure) => located(7, failure)),
  );
  expect(own).toMatchObject({ code: 'query.failed', errors: [] });
  expect(own.cause).toBe(cause);
  expect(JSON.stringify([own.message, own.hint])).not.toMatch(/line 1|Of the query/);
});

test('a problem that was given to one caller is not given to the next with its locations', () => {
  const failures = createSharedFailures();
  const problem = located(1, FAILURE);
  failures.note(problem, planOf('SELECT 1'));
  const second = failures.inOwnQuery(
    problem,
    planOf('SELECT\n1', (cause) => located(2, cause)),
  );
  const third = failures.inOwnQuery(
    second,
    planOf('SELECT\n\n1', (cause) => located(3, cause)),
  );
  expect([second, third].map(({ errors }) => errors[0]?.line)).toEqual([2, 3]);
});

test.each([
  { why: 'the same query', problem: located(1, FAILURE), ran: 'SELECT 1' },
  { why: 'no location', problem: new Problem('query.failed', { cause: FAILURE }), ran: 'SELECT\n1' },
  { why: 'no consumer query that ran', problem: located(1, FAILURE), ran: undefined },
  { why: 'not a problem', problem: FAILURE, ran: 'SELECT\n1' },
])('$why: the same', ({ problem, ran }) => {
  const failures = createSharedFailures();
  failures.note(problem, ran === undefined ? { ...planOf(''), consumerQuery: undefined } : planOf(ran));
  expect(failures.inOwnQuery(problem, planOf('SELECT 1'))).toBe(problem);
});
