import { describe, expect, test } from 'vitest';
import { Problem } from '../../../src/sql/base/problem.ts';
import { readFields } from '../../../src/service/http/fields.ts';

const json = (text: string) => ({ type: 'application/json', text });
const form = (text: string) => ({ type: 'application/x-www-form-urlencoded', text });
const MIB = 2 ** 20;

interface Row {
  readonly why: string;
  readonly query: string;
  readonly body?: { readonly type: string; readonly text: string };
  readonly fields: Readonly<Record<string, unknown>>;
}

describe('the fields of a request', () => {
  test.each<Row>([
    { why: 'a query string', query: 'a=1&b=x%20y+z', fields: { a: ['1'], b: ['x y z'] } },
    { why: 'a duplicate in the query string', query: 'a=1&a=2', fields: { a: ['1', '2'] } },
    {
      why: 'a JSON body',
      query: '',
      body: json('{"a":1,"b":true,"c":null,"d":[1,"x"]}'),
      fields: { a: [1], b: [true], c: [null], d: [[1, 'x']] },
    },
    {
      why: 'a duplicate in a JSON body',
      query: '',
      body: json('{"a":1,"\\u0061":2}'),
      fields: { a: [2, 2] },
    },
    {
      why: 'names with escapes, and strings that only look like names',
      query: '',
      body: json('{"a\\"b" : "c\\": [{", "d":["e", "f"], "\\\\":1}'),
      fields: { 'a"b': ['c": [{'], d: [['e', 'f']], '\\': [1] },
    },
    { why: 'a duplicate across URL and body', query: 'a=1', body: json('{"a":1}'), fields: { a: ['1', 1] } },
    { why: 'an empty body', query: 'a=1', body: json(' '), fields: { a: ['1'] } },
    {
      why: 'a key of Object.prototype',
      query: '__proto__=1',
      body: json('{"constructor":"x"}'),
      fields: { ['__proto__']: ['1'], constructor: ['x'] },
    },
    {
      why: 'a form',
      query: '',
      body: { type: 'application/x-www-form-urlencoded', text: 'a=1&b=%C3%A9' },
      fields: { a: ['1'], b: ['é'] },
    },
    {
      why: 'percent signs that encode nothing',
      query: '%=100%&a=%zz%e&b=%41%',
      fields: { '%': ['100%'], a: ['%zz%e'], b: ['A%'] },
    },
    { why: 'a name without a value', query: '&a&&b=&=c', fields: { a: [''], b: [''], '': ['c'] } },
    {
      why: 'SQL text',
      query: 'a=1',
      body: { type: 'application/sql', text: 'SELECT 1' },
      fields: { a: ['1'], sql: ['SELECT 1'] },
    },
    {
      why: 'an empty body of any type',
      query: 'a=1',
      body: { type: 'text/plain', text: '' },
      fields: { a: ['1'] },
    },
  ])('from $why', ({ query, body, fields }) => {
    expect([...readFields(query, body)]).toEqual(Object.entries(fields));
  });

  test.each([
    { why: 'broken JSON', body: json('{"a":'), code: 'request.body_invalid' },
    { why: 'a JSON list', body: json('[1]'), code: 'request.body_invalid' },
    { why: 'a JSON string', body: json('"a"'), code: 'request.body_invalid' },
    {
      why: 'a list that is too long',
      body: json(`{"a":[${'1,'.repeat(10_000)}1]}`),
      code: 'request.parameters_invalid',
    },
    {
      why: 'a list inside an object that is too long',
      body: json(`{"a":{"b":[${'1,'.repeat(10_000)}1]}}`),
      code: 'request.parameters_invalid',
    },
    {
      why: 'too many fields',
      body: json(`{${Array.from({ length: 1001 }, (_, i) => `"p${i}":1`).join()}}`),
      code: 'request.body_invalid',
    },
    {
      why: 'a name repeated too often',
      body: json(`{${'"a":1,'.repeat(1000)}"a":1}`),
      code: 'request.body_invalid',
    },
    {
      why: 'names that differ only in escapes, repeated too often',
      body: json(`{${'"a":1,'.repeat(600)}${String.raw`"\u0061":1,`.repeat(400)}"a":1}`),
      code: 'request.body_invalid',
    },
    { why: 'too many fields in a form', body: form('a=1&'.repeat(1001)), code: 'request.body_invalid' },
    { why: 'bytes that are not UTF-8', body: form('a=1&b=%ff'), code: 'request.parameters_invalid' },
    { why: 'a name that is not UTF-8', body: form('%c3=1'), code: 'request.parameters_invalid' },
    { why: 'bytes beside a percent sign', body: form('a=%zz%ff'), code: 'request.parameters_invalid' },
    { why: 'half of an encoded character', body: form('a=%f0%9f%98'), code: 'request.parameters_invalid' },
    { why: 'a deep JSON body', body: json(`{"a":${'['.repeat(100)}`), code: 'request.body_invalid' },
    {
      why: 'another media type',
      body: { type: 'text/plain', text: 'a=1' },
      code: 'request.body_type_unsupported',
    },
  ])('rejects $why', ({ body, code }) => {
    let thrown: unknown;
    try {
      readFields('', body);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(Problem);
    expect(thrown).toMatchObject({ code });
  });

  // Each would take minutes if the work grew with the square of its length.
  test.each([
    { why: '80,000 names', body: json(`{${list(80_000, (n) => `"p${n}":1`)}}`) },
    { why: 'one name 140,000 times', body: json(`{${list(140_000, () => '"a":1')}}`) },
    { why: '80,000 names in an object in it', body: json(`{"a":{${list(80_000, (n) => `"p${n}":1`)}}}`) },
    { why: 'brackets', body: json('['.repeat(MIB)) },
    { why: 'brackets in a list', body: json(`{"a":${'['.repeat(MIB / 2)}${']'.repeat(MIB / 2)}}`) },
    { why: 'spaces after names', body: json(`{${`"a"${' '.repeat(1000)}`.repeat(1000)}`) },
    { why: 'quotes', body: json('"'.repeat(MIB)) },
    { why: 'escapes', body: json(`{"a":"${'\\'.repeat(MIB)}`) },
    { why: 'pairs of a form', body: form('a&'.repeat(MIB / 2)) },
  ])('is rejected quickly: $why', { timeout: 60_000 }, ({ body }) => {
    expect(() => readFields('', body)).toThrow(Problem);
  });

  test.each([
    { why: 'a string of escapes', body: json(`{"a":"${'\\"'.repeat(MIB / 2)}"}`) },
    { why: 'spaces', body: json(`{"a"${' '.repeat(MIB)}:1}`) },
    { why: 'empty pairs of a form', body: form(`${'&'.repeat(MIB)}a=1`) },
    { why: 'escapes of a form', body: form(`a=${'%41'.repeat(MIB / 3)}`) },
    { why: 'invalid escapes', body: form(`a=${'%zz'.repeat(MIB / 3)}`) },
  ])('is read quickly: $why', { timeout: 60_000 }, ({ body }) => {
    expect([...readFields('', body).keys()]).toEqual(['a']);
  });

  test('too many in the URL and the body together', () => {
    const half = list(501, (n) => `p${n}=1`).replaceAll(',', '&');
    expect(() => readFields(half, json(`{${list(500, (n) => `"q${n}":1`)}}`))).toThrow(Problem);
    expect(readFields(half, json(`{${list(499, (n) => `"q${n}":1`)}}`)).size).toBe(1000);
  });
});

function list(count: number, item: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => item(n)).join();
}
