// Findings as they are shown: with the name of the file that an include probably meant.
import { expect, test } from 'vitest';
import type { Finding } from '../../../src/sql/base/finding.ts';
import { shownFindings } from '../../../src/cli/commands/validate/shown.ts';

const PATHS = ['endpoints/common.shared.yaml', 'endpoints/fleet.hourly.yaml', 'endpoints/users.yml'];

test.each([
  ['comon.shared.yaml', 'Did you mean common?'],
  ['fleet.hourli.yaml', 'Did you mean fleet.hourly?'],
  ['user.yaml', 'Did you mean users?'],
  ['common.yaml', 'as it was'], // an endpoint is not included as a shared file
  ['elsewhere.yaml', 'as it was'],
])('an include of %s', (name, hint) => {
  const at = { file: 'endpoints/a.yaml', line: 1, column: 1, severity: 'error' } as const;
  const message = `there is no file ${name} in the folder of this file`;
  const finding = { ...at, code: 'include.missing', message, hint: 'as it was' };
  expect(shownFindings([finding], () => undefined, PATHS)).toEqual([{ ...finding, hint }]);
});

const AT = { file: 'endpoints/a.yaml', line: 1, column: 1 } as const;
const UNKNOWN = {
  ...AT,
  severity: 'warning',
  code: 'tenancy.unknown_name',
  message: 'no table has it',
} as const;
const NAMED = { ...UNKNOWN, hint: 'Did you mean tenant?' };
const UNCONFINED = {
  ...AT,
  line: 2,
  severity: 'error',
  code: 'tenancy.not_confined',
  message: 'depends',
} as const;

test.each<[why: string, found: readonly Finding[], shown: readonly Finding[]]>([
  ['a misspelled name is the error', [NAMED, UNCONFINED], [{ ...NAMED, severity: 'error' }]],
  ['a misspelled name without consequences is a warning', [NAMED], [NAMED]],
  ['a name like no other one is no cause', [UNKNOWN, UNCONFINED], [UNKNOWN, UNCONFINED]],
  [
    'nor is one of another file',
    [{ ...NAMED, file: 'b.yaml' }, UNCONFINED],
    [{ ...NAMED, file: 'b.yaml' }, UNCONFINED],
  ],
])('%s', (_, found, shown) => {
  const result = shownFindings(found, () => undefined, PATHS);
  expect(result).toHaveLength(shown.length);
  expect(result).toEqual(expect.arrayContaining([...shown]));
});
