// `millrace openapi`: the OpenAPI document of the endpoints, for an unrestricted key.
import { jsonText } from '../../../service/observe/visible-text.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import { createDescribe } from '../../../service/endpoints/describe.ts';
import { rowShapes } from '../../../service/endpoints/row-shapes.ts';
import type { WithTables } from '../../kit/schema-engine.ts';
import { openapiDocument } from '../../../service/openapi/document.ts';
import { readEndpoints } from '../../kit/endpoint-files.ts';

export interface OpenapiOptions {
  readonly folder: string;
  readonly engineSources: EngineSources;
  readonly headerPrefix: string;
  readonly version: string;
  readonly server: string;
  readonly contact: string | undefined;
  /** Provides an engine that has the tables; undefined: rows are not described. */
  readonly withEngine: WithTables | undefined;
}

/** Resolves to JSON and the names of the endpoints whose columns are unknown. Rejects with CommandError. */
export async function openapi(
  options: OpenapiOptions,
): Promise<{ readonly text: string; readonly unknown: readonly string[] }> {
  const catalog = await readEndpoints(options.folder, options.engineSources);
  const endpoints = catalog.all;
  const described =
    options.withEngine === undefined
      ? endpoints.map((endpoint) => ({ endpoint, rows: undefined }))
      : await options.withEngine(async (engine) => {
          const describe = createDescribe(engine);
          return Promise.all(
            endpoints.map(async (endpoint) => ({ endpoint, rows: await rowShapes(describe, endpoint) })),
          );
        });
  const principal = {
    languages: new Set(['sql', 'lql'] as const),
    locked: new Map(),
    redact: false,
    resultShape: undefined,
  };
  const document = await openapiDocument(described, { ...options, catalog, principal });
  const unknown = described.filter(({ rows }) => rows === undefined);
  return {
    text: jsonText(document),
    unknown: unknown.map(({ endpoint }) => referenceOf(endpoint)),
  };
}
