// Lines of development mode.
import { expect, test } from 'vitest';
import type { Finding } from '../../../src/sql/base/finding.ts';
import { createPlainLog } from '../../../src/service/observe/plain.ts';

const finding = (severity: Finding['severity']): Finding => ({
  file: 'a.yaml',
  line: 1,
  column: 1,
  severity,
  code: 'schema.unknown_key',
  message: 'unknown key "x"',
});

test.each([
  ['errors', ['warning', 'error'], 'endpoints: the last good versions stay in service; findings:'],
  ['warnings alone', ['warning'], 'endpoints: findings:'],
] as const)('%s of endpoint files', (_what, severities, title) => {
  const lines: string[] = [];
  const observe = createPlainLog((line) => void lines.push(line));
  observe({ kind: 'catalog.rejected', diagnostics: severities.map(finding) });
  expect(lines).toEqual([
    title,
    ...severities.map(() => '  a.yaml:1:1: unknown key "x" (schema.unknown_key)'),
  ]);
});
