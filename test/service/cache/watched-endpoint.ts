// An endpoint whose responses are valid until the tables of its query change.
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';

export function watchedEndpoint(
  query: string,
  { check, ttl = 86_400 }: { check: number; ttl?: number },
): Endpoint {
  const text = `id: 7b1c2f60-0c1e-4d7a-9a51-1f0a6a4b7c11\nname: m.rows\ncache: { until: data, check: ${check}, ttl: ${ttl} }\nquery: |\n  ${query}\n`;
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })('m.rows.yaml', text);
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate.endpoint;
}
