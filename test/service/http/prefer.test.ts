// The preference for a result shape.
import { expect, test } from 'vitest';
import {
  METADATA,
  NON_FINITE,
  preferredShape,
  preferredWait,
  prefers,
} from '../../../src/service/fronts/api/receive.ts';

test.each([
  { header: undefined, shape: undefined, why: 'no header' },
  { header: 'result-shape=bigquery', shape: 'bigquery', why: 'the preference alone' },
  {
    header: 'respond-async, RESULT-SHAPE = "BigQuery" ; q=1',
    shape: 'bigquery',
    why: 'among others, quoted',
  },
  { header: 'result-shape=standard, result-shape=bigquery', shape: 'standard', why: 'the first one counts' },
  { header: 'result-shape=avro, result-shape=bigquery', shape: undefined, why: 'also if it is unknown' },
  { header: 'a="x, result-shape=bigquery, y"', shape: undefined, why: 'inside a quoted string' },
  { header: 'result-shape-2=bigquery', shape: undefined, why: 'another name' },
  { header: `result-shape=bigquery${', a'.repeat(200)}`, shape: undefined, why: 'oversized' },
  { header: '"\\'.repeat(250), shape: undefined, why: 'unterminated' },
])('$why', ({ header, shape }) => expect(preferredShape(header)).toBe(shape));

test.each([
  ['metadata', true],
  ['respond-async, Metadata; x=1', true],
  ['metadata=""', true],
  ['result-shape=bigquery,metadata', true],
  ['metadata=no', false],
  ['metadatas', false],
  ['x="a, metadata, b"', false],
  ['return=representation', false],
  [`metadata${', a'.repeat(300)}`, false],
  [undefined, false],
])('metadata is preferred by %s: %s', (header, expected) => expect(prefers(header, METADATA)).toBe(expected));

test.each([
  ['non-finite=string', true],
  ['metadata, Non-Finite = "String" ; x=1', true],
  ['non-finite', false],
  ['non-finite=null', false],
  ['x="non-finite=string"', false],
  [`non-finite=string${', a'.repeat(300)}`, false],
  [undefined, false],
])('strings for NaN are preferred by %s: %s', (header, expected) =>
  expect(prefers(header, NON_FINITE)).toBe(expected),
);

test.each([
  { why: 'no header', header: undefined, seconds: undefined },
  { why: 'seconds', header: 'wait=10', seconds: 10 },
  { why: 'none', header: 'wait=0', seconds: 0 },
  { why: 'among others', header: 'respond-async, Wait = "5"; a=b, metadata', seconds: 5 },
  { why: 'the first one', header: 'wait=1, wait=2', seconds: 1 },
  { why: 'no number', header: 'wait=soon', seconds: undefined },
  { why: 'less than nothing', header: 'wait=-1', seconds: undefined },
  { why: 'a number of any length', header: `wait=${'9'.repeat(100)}`, seconds: undefined },
  { why: 'in a string of another', header: 'a="wait=3"', seconds: undefined },
])('wait: $why', ({ header, seconds }) => expect(preferredWait(header)).toBe(seconds));
