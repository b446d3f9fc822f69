// Tests what completion offers at each place of an LQL query, and what is marked before the service is asked.
import { describe, expect, test } from 'vitest';
import { marksOf, settledMarks } from '../../explorer/src/logs/lql-marks.ts';
import { suggestionsAt, type LqlWords } from '../../explorer/src/query/lql-completion.ts';

const TABLE = {
  name: 'edge',
  columns: [
    { name: 'id', type: 'String' },
    { name: 'ok', type: 'Bool' },
    { name: 'state', type: "Enum8('up' = 1, 'it\\'s down' = 2)" },
    {
      name: 'metadata',
      type: 'JSON',
      paths: [
        { name: 'level', type: 'String' },
        { name: 'a-b', type: 'String' },
      ],
    },
  ],
};
const FILTER: LqlWords = {
  table: TABLE,
  tables: [],
  valuesOf: (path) =>
    path === 'id' ? [{ value: 'x' }, { value: 5, detail: '2 rows' }, { value: 'a b' }] : [],
};
const EDITOR: LqlWords = { ...FILTER, tables: ['edge', 'auth'] };

/** Returns the first few texts that completion would write at |, with the text that stays before it. */
function offered(written: string, words: LqlWords, count = 5): readonly string[] | undefined {
  const cursor = written.indexOf('|>');
  const text = written.replace('|>', '');
  const found = suggestionsAt(text, cursor, words);
  return found?.options.slice(0, count).map(({ insert }) => text.slice(0, found.from) + insert);
}

describe('completion', () => {
  test.each([
    { at: '|>', offers: ['t:', 'id:', 'ok:', 'state:', 'metadata:'] },
    { at: 'error i|>', offers: ['error t:', 'error id:', 'error ok:'], count: 3 },
    { at: '-|>', offers: ['-t:', '-id:'], count: 2 },
    { at: 'm.|>', offers: ['t:', 'id:', 'ok:', 'state:', 'metadata:', 'm.level:', 'm."a-b":'], count: 7 },
    { at: 'id:|>', offers: ['id:x', 'id:5', 'id:"a b"', 'id:NULL', 'id:>=', 'id:<='], count: 6 },
    { at: '-id:|> x', offers: ['-id:x'], count: 1 },
    { at: 'id:(x|5|"a b"||>', offers: ['id:(x|5|"a b"|NULL'] },
    { at: 'id:(x|  a|>', offers: ['id:(x|  5'], count: 1 },
    { at: 'id:("a|b"|"c|>', offers: ['id:("a|b"|x'], count: 1 },
    { at: 'id:(x)|>', offers: undefined },
    { at: 'id:~x|>', offers: undefined },
    { at: '"a b|>', offers: undefined },
    { at: '~a|>', offers: undefined },
    { at: 'ok:t|>', offers: ['ok:true', 'ok:false', 'ok:NULL'], count: 3 },
    { at: 'state:|>', offers: ['state:up', 'state:"it\'s down"'], count: 2 },
    { at: 'm.level:|>', offers: ['m.level:debug', 'm.level:info'], count: 2 },
    { at: 'metadata.level:|>', offers: ['metadata.level:debug'], count: 1 },
    { at: 't:|>', offers: ['t:last@15m', 't:last@1h'], count: 2 },
    { at: 't:>|>', offers: ['t:>today', 't:>yesterday'], count: 2 },
    { at: 'f:|>', offers: ['f:NULL', 'f:>='], count: 2 },
  ])('in the filter: $at', ({ at, offers, count }) => {
    expect(offered(at, FILTER, count)).toEqual(offers);
  });

  test.each([
    { at: '|>', offers: ['f:', 't:', 's:', 'c:', 'id:'] },
    { at: 'f:|>', offers: ['f:edge', 'f:auth'] },
    { at: 's:i|>', offers: ['s:id', 's:ok'], count: 2 },
    { at: 'c:|>', offers: ['c:count(*)', 'c:group_by(t::minute)'], count: 2 },
    { at: 'x c:max(|>', offers: ['x c:max(id)'], count: 1 },
    { at: 'c:group_by(|>', offers: ['c:group_by(t::minute)'], count: 1 },
    { at: 'c:group_by(t::|>', offers: ['c:group_by(t::minute)'], count: 1 },
  ])('in the editor: $at', ({ at, offers, count }) => {
    expect(offered(at, EDITOR, count)).toEqual(offers);
  });
});

describe('marks', () => {
  test.each([
    ['id:1 metadata.x:5 m.level:(a|b)', []],
    ['idd:1 x', ['column_unknown 0-3']],
    ['x id:1 idd:(a|b) c:max(nope)', ['column_unknown 7-10', 'column_unknown 23-27']],
    ['a OR b', ['operator_unknown 2-4']],
    ['id:(a', ['parenthesis_unclosed 3-5']],
    ['idd:1 (a', ['column_unknown 0-3', 'operator_unknown 6-7']],
    ['id.x:5', ['path_invalid 0-4']],
  ])('%s', (lql, marks) => {
    const found = marksOf(lql, TABLE).map(({ code, start, end }) => `${code.slice(4)} ${start}-${end}`);
    expect(found).toEqual(marks);
  });

  test('are not of what is being typed', () => {
    const marks = marksOf('idd:1 id:', TABLE);
    expect(settledMarks(marks, undefined)).toEqual(marks);
    expect(settledMarks(marksOf('id:', TABLE), 3)).toEqual([]);
    expect(settledMarks(marksOf('idd:1', TABLE), 2)).toEqual([]);
    expect(settledMarks(marksOf('idd:1', TABLE), 5)).toHaveLength(1);
  });
});
