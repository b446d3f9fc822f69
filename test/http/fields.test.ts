import { describe, expect, test } from 'vitest';
import { Problem } from '../../src/core/problem.ts';
import { readFields } from '../../src/http/fields.ts';

const json = (text: string) => ({ type: 'application/json', text });

interface Row {
  readonly why: string;
  readonly query: string;
  readonly body?: { readonly type: string; readonly text: string };
  readonly fields: Readonly<Record<string, unknown>>;
}

describe('the fields of a request', () => {
  test.each<Row>([
    { why: 'a query string', query: 'a=1&b=x%20y+z', fields: { a: ['1'], b: ['x y z'] } },
    { why: 'a double in the query string', query: 'a=1&a=2', fields: { a: ['1', '2'] } },
    {
      why: 'a JSON body',
      query: '',
      body: json('{"a":1,"b":true,"c":null,"d":[1,"x"]}'),
      fields: { a: [1], b: [true], c: [null], d: [[1, 'x']] },
    },
    {
      why: 'a double in a JSON body',
      query: '',
      body: json('{"a":1,"\\u0061":2}'),
      fields: { a: [2, 2] },
    },
    { why: 'a double across URL and body', query: 'a=1', body: json('{"a":1}'), fields: { a: ['1', 1] } },
    { why: 'an empty body', query: 'a=1', body: json(' '), fields: { a: ['1'] } },
    {
      why: 'a key that Object.prototype has',
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
    { why: 'a JSON text', body: json('"a"'), code: 'request.body_invalid' },
    { why: 'a nested object', body: json('{"a":{"b":1}}'), code: 'request.parameters_invalid' },
    { why: 'a list in a list', body: json('{"a":[[1]]}'), code: 'request.parameters_invalid' },
    {
      why: 'a list that is too long',
      body: json(`{"a":[${'1,'.repeat(10_000)}1]}`),
      code: 'request.parameters_invalid',
    },
    {
      why: 'too many fields',
      body: json(`{${Array.from({ length: 1001 }, (_, i) => `"p${i}":1`).join()}}`),
      code: 'request.body_invalid',
    },
    {
      why: 'another media type',
      body: { type: 'text/plain', text: 'a=1' },
      code: 'request.body_type_unsupported',
    },
  ])('refuses $why', ({ body, code }) => {
    let thrown: unknown;
    try {
      readFields('', body);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(Problem);
    expect(thrown).toMatchObject({ code });
  });
});
