// Problems as exceptions of the ClickHouse interface.
import { expect, test } from 'vitest';
import { Problem, type ProblemOptions } from '../../../../src/sql/base/problem.ts';
import { exceptionFor } from '../../../../src/service/fronts/clickhouse/errors.ts';

test.each<[options: ProblemOptions, text: string]>([
  [{ detail: 'No value' }, 'No value. Correct the parameter, or leave it out.'],
  [{ detail: 'No value', hint: 'Send param_x.' }, 'No value. Send param_x.'],
])('a hint of the problem replaces the general one: %o', (options, text) => {
  const exception = exceptionFor(new Problem('request.parameters_invalid', options), '1.2');
  expect(exception.text).toBe(
    `Code: 457. DB::Exception: ${text} (BAD_QUERY_PARAMETER) (version 1.2 (official build))\n`,
  );
});
