// Members of rows, read without parsing the row.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { membersOf } from '../../../src/service/formats/member.ts';
import { anyCharacter } from '../../support/any-character.ts';

test.each([
  {
    why: 'a number with all its digits',
    row: '{"a":18446744073709551615}',
    names: ['a'],
    values: ['18446744073709551615'],
  },
  {
    why: 'strings, decoded',
    row: String.raw`{"a":"x\"},\\","b":"\u00e4"}`,
    names: ['b', 'a'],
    values: ['ä', 'x"},\\'],
  },
  {
    why: 'a name with escapes',
    row: String.raw`{"\"a\\":1,"a":2}`,
    names: ['a', '"a\\'],
    values: ['2', '1'],
  },
  {
    why: 'nested values as they are',
    row: '{"a":[{"b":"]}"},[1]],"b":{"a":[]}}',
    names: ['b', 'a'],
    values: ['{"a":[]}', '[{"b":"]}"},[1]]'],
  },
  { why: 'undefined for a member that is missing', row: '{"a":{"b":1}}', names: ['b'], values: [undefined] },
  { why: 'the first of two with a name', row: '{"a":1,"a":2,"b":3}', names: ['a', 'b'], values: ['1', '3'] },
  { why: 'a name that is asked for twice', row: '{"a":1}', names: ['a', 'a'], values: ['1', '1'] },
  { why: 'nothing of an empty object', row: '{}', names: ['a'], values: [undefined] },
  { why: 'null as its source', row: '{"a":null,"b":true}', names: ['a', 'b'], values: ['null', 'true'] },
])('reads $why', ({ row, names, values }) => {
  expect(membersOf(row, names)).toEqual(values);
});

test('reads what JSON.parse reads', () => {
  const row = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue(), { maxKeys: 6 });
  fc.assert(
    fc.property(row, fc.string(), (object, other) => {
      const names = [...Object.keys(object), other];
      const expected = names.map((name) => {
        if (!Object.hasOwn(object, name)) return undefined;
        const value = object[name];
        return typeof value === 'string' ? value : JSON.stringify(value);
      });
      expect(membersOf(JSON.stringify(object), names)).toEqual(expected);
    }),
  );
});
