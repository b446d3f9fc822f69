// Settings of the trace exporter: the variables of OpenTelemetry, in the forms of its specification.
import { describe, expect, test } from 'vitest';
import { loadSettings } from '../../../src/service/config/load-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

const load = (env: Record<string, string>) =>
  loadSettings({ flags: {}, env, file: { path: '', required: false } });

async function tracesOf(env: Record<string, string>) {
  const loaded = await load({ ...ENDPOINT, ...env });
  if (!('settings' in loaded)) throw new Error(loaded.diagnostics.map(({ message }) => message).join());
  return loaded.settings.traces;
}

describe('header fields', () => {
  test.each([
    { text: 'Authorization=Basic%20QTpC', headers: { Authorization: 'Basic QTpC' } },
    { text: 'api-key=a%2Cb%3D%25', headers: { 'api-key': 'a,b=%' } },
    { text: 'a=1, b = 2 ,c=x=y', headers: { a: '1', b: '2', c: 'x=y' } },
    { text: 'a=Basic QTpC,', headers: { a: 'Basic QTpC' } },
    { text: 'a=', headers: { a: '' } },
    { text: 'a=caf%C3%A9', headers: { a: 'café' } },
  ])('$text', async ({ text, headers }) => {
    expect(await tracesOf({ OTEL_EXPORTER_OTLP_HEADERS: text })).toMatchObject({ headers });
  });
});

describe('the resource', () => {
  test.each([
    { why: 'by default', env: {}, resource: { 'service.name': 'millrace' } },
    {
      why: 'with a name',
      env: { OTEL_SERVICE_NAME: 'reports' },
      resource: { 'service.name': 'reports' },
    },
    {
      why: 'with attributes, percent-encoded',
      env: { OTEL_RESOURCE_ATTRIBUTES: 'service.name=a%20b,team=data%2Cweb,service.instance.id=pod-1' },
      resource: { 'service.name': 'a b', team: 'data,web', 'service.instance.id': 'pod-1' },
    },
    {
      why: 'with both: the variable for the name wins',
      env: { OTEL_SERVICE_NAME: 'reports', OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=data' },
      resource: { 'service.name': 'reports', team: 'data' },
    },
  ])('$why', async ({ env, resource }) => {
    expect((await tracesOf(env))?.resource).toEqual(resource);
  });
});

describe('malformed pairs are rejected, without their text', () => {
  test.each([
    ['OTEL_EXPORTER_OTLP_HEADERS', 'secret-without-name'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=1,=secret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret%'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret%ff'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret%0d%0aHost:%20b'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a%3Ab=secret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret%E2%82%AC'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'secret'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=1,b'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=secret%zz'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a b=secret'],
  ])('%s=%s', async (name, text) => {
    for (const env of [{ ...ENDPOINT, [name]: text }, { [name]: text }]) {
      const loaded = await load(env);
      const found = 'diagnostics' in loaded ? loaded.diagnostics : [];
      expect(found.map(({ code }) => code)).toEqual(['settings.pairs_invalid']);
      expect(JSON.stringify(found)).not.toContain('secret');
    }
  });
});
