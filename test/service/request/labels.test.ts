// Labels and reservations of a request: only those that the endpoint's file allows.
import { expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { labelsOf, readLabelsHeader, staticLabels } from '../../../src/service/request/labels.ts';
import { requestedWorkload } from '../../../src/service/request/limits/workload.ts';

function endpointOf(rest: string) {
  const text = `id: 00000000-0000-4000-8000-000000000041\nname: labelled\nquery: SELECT @project\nparameters: { project: { type: String } }\n${rest}`;
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })('labelled.yaml', text);
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate.endpoint;
}

test.each<{ why: string; header: string; pairs: Record<string, string> }>([
  { why: 'pairs', header: 'a=1,b=two words', pairs: { a: '1', b: 'two words' } },
  { why: 'surrounding spaces', header: ' a = 1 , b=2 ', pairs: { a: '1', b: '2' } },
  { why: 'a value with punctuation', header: 'a=x=y;z/ü"\'', pairs: { a: 'x=y;z/ü"\'' } },
  { why: 'the first of duplicates', header: 'a=1,a=2', pairs: { a: '1' } },
  { why: 'no value', header: 'a=,b', pairs: {} },
  { why: 'no name', header: '=1,,', pairs: {} },
  { why: 'invalid names', header: 'A=1,a-b=2,__proto__=3,1a=4', pairs: {} },
  { why: 'control characters', header: 'a=x\ny,b=\u0000', pairs: {} },
  { why: 'a header that is too long', header: `a=${'x'.repeat(5000)}`, pairs: {} },
  { why: 'nothing', header: '', pairs: {} },
])('the header: $why', ({ header, pairs }) => {
  expect(Object.fromEntries(readLabelsHeader(header))).toEqual(pairs);
});

test('labels come from the source in the file', () => {
  const endpoint = endpointOf(
    'labels: { team: platform, tenant: "@project", client: "@header", app: "@header" }\n',
  );
  expect(labelsOf(endpoint, { project: 'abc' }, 'client=web,tenant=evil,other=1')).toEqual({
    team: 'platform',
    tenant: 'abc',
    client: 'web',
  });
  expect(labelsOf(endpoint, { project: null }, undefined)).toEqual({ team: 'platform' });
  expect(labelsOf(endpoint, { project: 'x'.repeat(500) }, undefined)['tenant']).toHaveLength(100);
  expect(labelsOf(endpoint, { project: `${'x'.repeat(99)}😀` }, undefined)['tenant']).toBe('x'.repeat(99));
  expect(staticLabels(endpoint)).toEqual({ team: 'platform' });
});

test('a file that allows none yields none', () => {
  expect(labelsOf(endpointOf(''), { project: 'abc' }, 'client=web')).toEqual({});
});

test('labels and reservations do not affect the revision: they change no response', () => {
  const plain = endpointOf('').revision;
  expect(endpointOf('labels: { team: platform }\n').revision).toBe(plain);
  expect(endpointOf('reservation: { enabled: true, workloads: [reports] }\n').revision).toBe(plain);
});

test.each<{ why: string; file: string; asked: string | undefined; workload: string | undefined }>([
  {
    why: 'a listed one',
    file: '{ enabled: true, workloads: [reports, exports] }',
    asked: 'exports',
    workload: 'exports',
  },
  {
    why: 'none requested',
    file: '{ enabled: true, workloads: [reports] }',
    asked: undefined,
    workload: undefined,
  },
  { why: 'an empty one', file: '{ enabled: true, workloads: [reports] }', asked: '', workload: undefined },
  {
    why: 'any, if reservations are ignored',
    file: '{ enabled: false, workloads: [reports] }',
    asked: 'invalid_response',
    workload: undefined,
  },
])('a reservation: $why', ({ file, asked, workload }) => {
  expect(requestedWorkload(endpointOf(`reservation: ${file}\n`), asked)).toBe(workload);
});

test.each(['report', 'Reports', "reports', max_threads=1", 'default'])(
  'no reservation of the name %s',
  (asked) => {
    const endpoint = endpointOf('reservation: { enabled: true, workloads: [reports] }\n');
    expect(() => requestedWorkload(endpoint, asked)).toThrow(
      expect.objectContaining({ code: 'workload.unknown', status: 400 }) as Error,
    );
  },
);
