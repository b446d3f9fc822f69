// Rows and bytes read are in no result.
import { expect, test } from 'vitest';
import { withoutRowsRead } from '../../../src/service/request/formats/rows-read.ts';

const changed = (engine: string, text: string): string =>
  Buffer.from(withoutRowsRead({ engine, settings: {} }, Buffer.from(text), 2)).toString();

test.each([
  ['JSON', '{"data":[{"rows_read": 5}],"statistics":{"elapsed":0.1,"rows_read": 332,"bytes_read": 77}}', '{"data":[{"rows_read": 5}],"statistics":{"elapsed":0.1,"rows_read": 2,"bytes_read": 0}}'],
  ['XML', '<rows_read>332</rows_read><bytes_read>7</bytes_read>', '<rows_read>2</rows_read><bytes_read>0</bytes_read>'],
  ['JSONEachRowWithProgress', '{"progress":{"read_rows":"9"}}\n{"row":{"progress":1}}\n{"progress":{"read_rows":"332","read_bytes":"7","total_rows_to_read":"9"}}\n', '{"row":{"progress":1}}\n{"progress":{"read_rows":"2","read_bytes":"0","total_rows_to_read":"2"}}\n'],
  ['JSONEachRowWithProgress', '{"progress":{"read_rows":"1","elapsed_ns":"5"}}\n{"meta":[]}\n{"row":{}}\n', '{"meta":[]}\n{"row":{}}\n{"progress":{"read_rows":"2","elapsed_ns":"5"}}\n'],
  ['JSONStringsEachRowWithProgress', '{"row":{}}\n', '{"row":{}}\n{"progress":{"read_rows":"2","read_bytes":"0","total_rows_to_read":"2"}}\n'],
  ['CSV', '"rows_read": 332', '"rows_read": 332'],
])('%s', (engine, text, expected) => {
  expect(changed(engine, text)).toBe(expected);
}); // prettier-ignore

test('without statistics, a column of that name is kept', () => {
  const format = { engine: 'JSON', settings: { output_format_write_statistics: '0' } };
  const text = '{"data":[{"rows_read": 5}]}';
  expect(Buffer.from(withoutRowsRead(format, Buffer.from(text), 2)).toString()).toBe(text);
});
