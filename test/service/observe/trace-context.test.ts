// The traceparent field, as specified in https://www.w3.org/TR/trace-context/.
import { expect, test } from 'vitest';
import { readTraceparent, traceparentOf } from '../../../src/service/observe/tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test.each<{ why: string; text: string | undefined; isSampled: boolean | undefined }>([
  { why: 'sampled', text: `00-${TRACE}-${SPAN}-01`, isSampled: true },
  { why: 'not sampled', text: `00-${TRACE}-${SPAN}-00`, isSampled: false },
  { why: 'other flags are ignored', text: `00-${TRACE}-${SPAN}-02`, isSampled: false },
  { why: 'a later version with more fields', text: `01-${TRACE}-${SPAN}-01-what-comes`, isSampled: true },
  { why: 'none', text: undefined, isSampled: undefined },
  { why: 'empty', text: '', isSampled: undefined },
  { why: 'more fields than this version has', text: `00-${TRACE}-${SPAN}-01-x`, isSampled: undefined },
  { why: 'the invalid version', text: `ff-${TRACE}-${SPAN}-01`, isSampled: undefined },
  { why: 'a zero trace id', text: `00-${'0'.repeat(32)}-${SPAN}-01`, isSampled: undefined },
  { why: 'a zero span id', text: `00-${TRACE}-${'0'.repeat(16)}-01`, isSampled: undefined },
  { why: 'uppercase', text: `00-${TRACE.toUpperCase()}-${SPAN}-01`, isSampled: undefined },
  { why: 'sent twice', text: `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, isSampled: undefined },
  { why: 'very long', text: `01-${TRACE}-${SPAN}-01-${'x'.repeat(1000)}`, isSampled: undefined },
])('$why', ({ text, isSampled }) => {
  const read = readTraceparent(text);
  expect(read?.isSampled).toBe(isSampled);
  if (read !== undefined) expect(traceparentOf(read)).toBe(`00-${TRACE}-${SPAN}-0${Number(read.isSampled)}`);
});
