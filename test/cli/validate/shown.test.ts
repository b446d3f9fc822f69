// Findings as they are shown: with the name of the file that an include probably meant.
import { expect, test } from 'vitest';
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
