// Findings as they are shown: with the name of the file that an include probably meant.
import { expect, test } from 'vitest';
import type { Finding } from '../../../src/sql/base/finding.ts';
import { suggestionOf } from '../../../src/cli/checks/engine/engine-hints.ts';
import { shownFindings, type IncludedFiles } from '../../../src/cli/commands/validate/shown.ts';

const FILES: IncludedFiles = new Map([
  ['endpoints/common.shared.yaml', { dependencies: [] }],
  ['endpoints/fleet.hourly.yaml', { dependencies: [] }],
  ['endpoints/users.yml', { dependencies: [{ path: 'endpoints/common.shared.yaml' }] }],
]);

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
  expect(shownFindings([finding], () => undefined, FILES)).toEqual([{ ...finding, hint }]);
});

test('an unknown table of a shared file has the nearest one of that file', () => {
  const at = { file: 'endpoints/common.shared.yaml', line: 3, column: 9, severity: 'error' } as const;
  const finding = {
    ...at,
    code: 'engine.unknown_table',
    message: "unknown table expression identifier 'mne'",
  };
  const text = 'tables:\n  mine: SELECT 1 AS a\n  good: SELECT a FROM mne\n';
  expect(shownFindings([{ ...finding, hint: 'Did you mean system.one?' }], () => text, FILES)).toEqual([
    { ...finding, hint: 'Did you mean mine?' },
  ]);
});

test('tables that the engine has by itself are suggested only for such names', () => {
  const message = (name: string, guess: string): string =>
    `Unknown table expression identifier '${name}' in scope SELECT 1. Maybe you meant: ['${guess}']`;
  expect(suggestionOf(message('sales', 'INFORMATION_SCHEMA.TABLES'))).toBeUndefined();
  expect(suggestionOf(message('system.tabels', 'system.tables'))).toBe('Did you mean system.tables?');
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
    'a misspelled column of pii is the error, not the column that was meant',
    [
      { ...AT, severity: 'error', code: 'pii.unknown_column', message: 'none', hint: 'Did you mean ip?' },
      { ...AT, line: 2, severity: 'error', code: 'pii.not_redacted', message: 'ip' },
    ],
    [{ ...AT, severity: 'error', code: 'pii.unknown_column', message: 'none', hint: 'Did you mean ip?' }],
  ],
  [
    'a misspelled name in a file that is included is the error, once',
    [
      { ...NAMED, file: 'endpoints/common.shared.yaml', includedBy: 'users' },
      { ...NAMED, file: 'endpoints/common.shared.yaml', includedBy: 'others' },
      { ...UNCONFINED, file: 'endpoints/users.yml' },
    ],
    [
      {
        ...NAMED,
        file: 'endpoints/common.shared.yaml',
        severity: 'error',
        message: 'no table has it (included by users and 1 more)',
      },
    ],
  ],
  [
    'nor is one of another file',
    [{ ...NAMED, file: 'b.yaml' }, UNCONFINED],
    [{ ...NAMED, file: 'b.yaml' }, UNCONFINED],
  ],
])('%s', (_, found, shown) => {
  const result = shownFindings(found, () => undefined, FILES);
  expect(result).toHaveLength(shown.length);
  expect(result).toEqual(expect.arrayContaining([...shown]));
});
