import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ColumnAction } from '../../../src/guard/redact/columns.ts';
import { createRedactor, type RedactorOptions } from '../../../src/guard/redact/redactor.ts';

const KEY = 'a key for tests';

function redact(lines: string, options: RedactorOptions = {}): string {
  return Buffer.from(createRedactor({ hashKey: KEY, ...options }).redactLines(Buffer.from(lines))).toString();
}

const hashOf = (text: string) => createHmac('sha256', KEY).update(text).digest('hex').slice(0, 32);

describe('rows', () => {
  test.each([
    { why: 'a string', line: '{"a":"at 10.0.0.1"}', becomes: '{"a":"at REDACTED"}' },
    { why: 'two in one string', line: '{"a":"10.0.0.1 10.0.0.2"}', becomes: '{"a":"REDACTED REDACTED"}' },
    { why: 'nested', line: '{"a":{"b":{"c":"a@b.example"}}}', becomes: '{"a":{"b":{"c":"REDACTED"}}}' },
    {
      why: 'an array',
      line: '{"a":["::1",["a@b.example",1]]}',
      becomes: '{"a":["REDACTED",["REDACTED",1]]}',
    },
    { why: 'a row that is an array', line: '["a@b.example",null]', becomes: '["REDACTED",null]' },
    { why: 'spaces between', line: '{ "a" : "::1" , "b" : 1 }', becomes: '{ "a" : "REDACTED" , "b" : 1 }' },
    { why: 'a key', line: '{"m":{"a@b.example":5}}', becomes: '{"m":{"REDACTED":5}}' },
    { why: 'a part of a key', line: '{"m":{"user:a@b.example":5}}', becomes: '{"m":{"user:REDACTED":5}}' },
    {
      why: 'keys that become equal stay distinct',
      line: '{"m":{"a@b.example":1,"c@d.example":2,"x":3,"e@f.example":4}}',
      becomes: '{"m":{"REDACTED":1,"REDACTED_2":2,"x":3,"REDACTED_3":4}}',
    },
    {
      why: 'keys of different objects may become equal',
      line: '[{"a@b.example":{"c@d.example":1}},{"e@f.example":2}]',
      becomes: '[{"REDACTED":{"REDACTED":1}},{"REDACTED":2}]',
    },
    {
      why: 'numbers are unchanged',
      line: '{"card":4111111111111111,"n":-1.5e+30}',
      becomes: '{"card":4111111111111111,"n":-1.5e+30}',
    },
    {
      why: 'literals are unchanged',
      line: '{"a":null,"b":true,"c":false}',
      becomes: '{"a":null,"b":true,"c":false}',
    },
    {
      why: 'surrounding escapes are unchanged',
      line: '{"a":"\\"::1\\"\\n\\/\\u00e9"}',
      becomes: '{"a":"\\"REDACTED\\"\\n\\/\\u00e9"}',
    },
    { why: 'a symbol written as an escape', line: '{"a":"x\\u0040y.example"}', becomes: '{"a":"REDACTED"}' },
    { why: 'a letter written as an escape', line: '{"a":"x@y.ex\\u0061mple"}', becomes: '{"a":"REDACTED"}' },
    {
      why: 'an escaped slash before',
      line: '{"a":"http:\\/\\/10.0.0.1\\/x"}',
      becomes: '{"a":"http:\\/\\/REDACTED\\/x"}',
    },
    {
      why: 'a product after an escaped slash',
      line: '{"a":"Chrome\\/120.0.0.0"}',
      becomes: '{"a":"Chrome\\/120.0.0.0"}',
    },
    { why: 'a backslash before the end', line: '{"a":"::1\\\\"}', becomes: '{"a":"REDACTED\\\\"}' },
    {
      why: 'a backslash before a letter',
      line: '{"a":"D\\\\ann@x.example"}',
      becomes: '{"a":"D\\\\REDACTED"}',
    },
    {
      why: 'a lone surrogate',
      line: '{"a":"\\ud83d@x.example \\ud83da@x.example"}',
      becomes: '{"a":"\\ud83d@x.example \\ud83dREDACTED"}',
    },
    { why: 'an empty row', line: '{}', becomes: '{}' },
  ])('$why', ({ line, becomes }) => {
    const options: RedactorOptions = { detectors: ['ip', 'email', 'card'] };
    expect(redact(`${line}\n`, options)).toBe(`${becomes}\n`);
    expect(redact(`{"x":1}\n${line}\n{"y":2}\n`, options)).toBe(`{"x":1}\n${becomes}\n{"y":2}\n`);
  });

  test('bytes that are not UTF-8 are unchanged', () => {
    const line = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xff, 0xc3, 0x28, 0xe2, 0x82]),
      Buffer.from(' ::1"}\n'),
    ]);
    const redacted = Buffer.from(createRedactor({}).redactLines(line));
    expect(redacted.toString('latin1')).toBe(line.toString('latin1').replace('::1', 'REDACTED'));
  });

  test('without a match, the same array is returned', () => {
    const lines = Buffer.from('{"a":"12:34:56 v1.2.3.4","b":{"c":"Chrome/120.0.0.0"}}\n'.repeat(10));
    expect(createRedactor({}).redactLines(lines)).toBe(lines);
  });

  test('only the view of a larger buffer is read', () => {
    const all = Buffer.from('{"a":"::1"}\n{"a":"::1"}\n{"a":"::1"}\n');
    const redacted = createRedactor({}).redactLines(all.subarray(12, 24));
    expect(Buffer.from(redacted).toString()).toBe('{"a":"REDACTED"}\n');
  });

  test.each(['{"a":"::1', '{"a":"::1\\', '{"a"', '"', '{"a":', '}}]]{', '\n\n{"a":"::1"}'])(
    'truncated or invalid JSON terminates: %s',
    (line) => {
      expect(redact(line, { columns: { a: 'drop', b: 'mask' } })).not.toContain('::1');
    },
  );
});

describe('columns by name', () => {
  test.each<{ why: string; columns: Record<string, ColumnAction>; line: string; becomes: string }>([
    { why: 'masks', columns: { a: 'mask' }, line: '{"a":"x","b":"y"}', becomes: '{"a":"REDACTED","b":"y"}' },
    {
      why: 'masks a number',
      columns: { a: 'mask' },
      line: '{"a":-1.5,"b":2}',
      becomes: '{"a":"REDACTED","b":2}',
    },
    {
      why: 'masks an object',
      columns: { a: 'mask' },
      line: '{"a":{"b":["}"]},"c":1}',
      becomes: '{"a":"REDACTED","c":1}',
    },
    { why: 'masks an array', columns: { a: 'mask' }, line: '{"a":[1,"]",{}]}', becomes: '{"a":"REDACTED"}' },
    {
      why: 'leaves null',
      columns: { a: 'mask', b: 'hash' },
      line: '{"a":null,"b":null}',
      becomes: '{"a":null,"b":null}',
    },
    {
      why: 'hashes a string',
      columns: { a: 'hash' },
      line: '{"a":"ann","b":1}',
      becomes: `{"a":"${hashOf('ann')}","b":1}`,
    },
    {
      why: 'hashes the decoded string',
      columns: { a: 'hash' },
      line: '{"a":"\\u0061\\"é"}',
      becomes: `{"a":"${hashOf('a"é')}"}`,
    },
    { why: 'hashes a number', columns: { a: 'hash' }, line: '{"a":42}', becomes: `{"a":"${hashOf('42')}"}` },
    { why: 'drops the first', columns: { a: 'drop' }, line: '{"a":1,"b":2,"c":3}', becomes: '{"b":2,"c":3}' },
    {
      why: 'drops one between',
      columns: { b: 'drop' },
      line: '{"a":1,"b":2,"c":3}',
      becomes: '{"a":1,"c":3}',
    },
    { why: 'drops the last', columns: { c: 'drop' }, line: '{"a":1,"b":2,"c":3}', becomes: '{"a":1,"b":2}' },
    {
      why: 'drops two in a row',
      columns: { b: 'drop', c: 'drop' },
      line: '{"a":1,"b":2,"c":3}',
      becomes: '{"a":1}',
    },
    {
      why: 'drops the first two',
      columns: { a: 'drop', b: 'drop' },
      line: '{"a":1,"b":2,"c":3}',
      becomes: '{"c":3}',
    },
    { why: 'drops all', columns: { a: 'drop', b: 'drop' }, line: '{ "a" : 1 , "b" : {} }', becomes: '{  }' },
    {
      why: 'drops before one that is masked',
      columns: { a: 'drop', b: 'mask' },
      line: '{"a":1,"b":2}',
      becomes: '{"b":"REDACTED"}',
    },
    {
      why: 'a path',
      columns: { 'm.user.name': 'mask' },
      line: '{"m":{"user":{"name":"x"}},"name":"y"}',
      becomes: '{"m":{"user":{"name":"REDACTED"}},"name":"y"}',
    },
    {
      why: 'a path dropped',
      columns: { 'm.user': 'drop' },
      line: '{"m":{"user":{"name":"x"},"a":1}}',
      becomes: '{"m":{"a":1}}',
    },
    {
      why: 'a path through an array',
      columns: { 'm.name': 'mask' },
      line: '{"m":[{"name":"x"},{"a":1,"name":"y"},"name"]}',
      becomes: '{"m":[{"name":"REDACTED"},{"a":1,"name":"REDACTED"},"name"]}',
    },
    {
      why: 'a path as the name of a column',
      columns: { 'm.user.name': 'mask' },
      line: '{"m.user.name":"x"}',
      becomes: '{"m.user.name":"REDACTED"}',
    },
    {
      why: 'a path partly in the name of a column',
      columns: { 'm.user.name': 'mask' },
      line: '{"m.user":{"name":"x"}}',
      becomes: '{"m.user":{"name":"REDACTED"}}',
    },
    {
      why: 'a part of a masked whole',
      columns: { m: 'mask' },
      line: '{"m.user.name":"x"}',
      becomes: '{"m.user.name":"REDACTED"}',
    },
    {
      why: 'the same name deeper down is unaffected',
      columns: { name: 'mask' },
      line: '{"m":{"name":"x"}}',
      becomes: '{"m":{"name":"x"}}',
    },
    {
      why: 'the name as a value is unaffected',
      columns: { a: 'drop' },
      line: '{"b":"a","c":["a"]}',
      becomes: '{"b":"a","c":["a"]}',
    },
    {
      why: 'in another case',
      columns: { Email: 'mask' },
      line: '{"eMAIL":"x"}',
      becomes: '{"eMAIL":"REDACTED"}',
    },
    {
      why: 'an escaped name',
      columns: { 'a"b': 'mask' },
      line: '{"a\\u0022b":"x"}',
      becomes: '{"a\\u0022b":"REDACTED"}',
    },
    {
      why: 'a name of an object in the language',
      columns: { ['constructor']: 'mask' as const },
      line: '{"constructor":1,"__proto__":"::1"}',
      becomes: '{"constructor":"REDACTED","__proto__":"REDACTED"}',
    },
    {
      why: 'other strings are searched',
      columns: { a: 'drop' },
      line: '{"a":"::1","b":"::1"}',
      becomes: '{"b":"REDACTED"}',
    },
  ])('$why', ({ columns, line, becomes }) => {
    expect(redact(`${line}\n${line}\n`, { columns })).toBe(`${becomes}\n${becomes}\n`);
  });

  test('kinds are included on request', () => {
    const line = '{"a":"x","b":"from ::1 by a@b.example"}\n';
    const becomes = '{"a":"REDACTED:column","b":"from REDACTED:ip by REDACTED:email"}\n';
    expect(redact(line, { kind: true, columns: { a: 'mask' } })).toBe(becomes);
  });

  test('equal values have equal hashes under one key, and different ones under another', () => {
    const [first, again, other] = ['k1', 'k1', 'k2'].map((hashKey) =>
      redact('{"a":"x"}\n', { hashKey, columns: { a: 'hash' } }),
    );
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  test('hashing without a key is rejected', () => {
    expect(() => createRedactor({ columns: { a: 'hash' } })).toThrow('need a key');
    expect(() => createRedactor({ columns: { a: 'hash' }, hashKey: '' })).toThrow('need a key');
  });
});
