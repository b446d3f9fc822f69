// The finding codes of `millrace test`, with their meaning and fix.
import type { FindingKind } from './finding-kind.ts';

export const TEST_KINDS: Readonly<Record<string, FindingKind>> = {
  'test.status': {
    title: 'Unexpected status',
    help: 'Correct the endpoint, or update expect.status.',
  },
  'test.code': { title: 'Unexpected problem code', help: 'The message has the actual code.' },
  'test.columns': {
    title: 'Unexpected columns',
    help: 'Names and their order are compared, because callers rely on both.',
  },
  'test.rows': {
    title: 'Unexpected number of rows',
    help: 'Correct the query or the fixtures, or update expect.rows.',
  },
  'test.truncated': {
    title: 'Unexpected truncation',
    help: 'Rows beyond max_rows are truncated.',
  },
  'test.result': {
    title: 'Unexpected result',
    help: 'The message has the path of the first difference; millrace test --update accepts the actual result.',
  },
  'test.now': { title: 'Invalid time in now', help: 'Use a time from 1970 to 2105.' },
};
