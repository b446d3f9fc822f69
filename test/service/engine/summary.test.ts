// X-ClickHouse-Summary, valid and malformed.
import { expect, test } from 'vitest';
import { readSummary } from '../../../src/service/engine/http/summary.ts';

test.each<{ why: string; field: unknown; read: unknown }>([
  {
    why: 'from a server',
    field:
      '{"read_rows":"1000","read_bytes":"8000","written_rows":"0","total_rows_to_read":"1000","elapsed_ns":"662334"}',
    read: { rows: 1000, bytes: 8000 },
  },
  { why: 'truncated', field: '{"read_rows":"1000"}', read: undefined },
  { why: 'not a number', field: '{"read_rows":"many","read_bytes":"1"}', read: undefined },
  { why: 'none', field: undefined, read: undefined },
  { why: 'sent twice', field: ['{}', '{}'], read: undefined },
  { why: 'far too long', field: ' '.repeat(3000), read: undefined },
])('$why', ({ field, read }) => {
  expect(readSummary(field)).toEqual(read);
});
