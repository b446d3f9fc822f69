// The tool for keys that may call endpoints with exports: it makes one, or says how far one is, and links to it.
import { endpointsOf } from '../resources.ts';
import { referenceOf, type Endpoint } from '../../../endpoints/endpoint.ts';
import type { Exports } from '../../../exports/exports.ts';
import { identityOf } from '../../../exports/identity.ts';
import { exportDocument, fileNameOf, problemOf, type ExportRecord } from '../../../exports/record.ts';
import { contentTypeOf, formatNamed, type FormatName } from '../../../formats/formats.ts';
import { didYouMean, nearest } from '../../../../sql/base/nearest.ts';
import { Problem } from '../../../../sql/base/problem.ts';
import type { Caller } from '../caller.ts';
import { plainText } from '../endpoints/table-text.ts';
import { QUERY, queryFields } from '../query/explain-query.ts';
import { openEndpoint } from '../query/open-endpoints.ts';
import { readArguments, type QueryArguments } from '../query/read-arguments.ts';
import type { ToolDefinition, ToolResult, ToolSource } from '../tool.ts';

export type ReadExports = Pick<Exports, 'create' | 'find'>;

const NAME = 'export_rows';

/** A key that may call no endpoint with exports has no such tool. */
export function createExportTool(exports: ReadExports): ToolSource {
  // A catalog and a principal are immutable.
  const known = new WeakMap<Caller['catalog'], WeakMap<Caller['principal'], readonly ToolDefinition[]>>();
  const list = (caller: Caller): readonly ToolDefinition[] => {
    const ofCatalog =
      known.get(caller.catalog) ?? new WeakMap<Caller['principal'], readonly ToolDefinition[]>();
    known.set(caller.catalog, ofCatalog);
    const found = ofCatalog.get(caller.principal);
    if (found !== undefined) return found;
    const endpoints = exportedEndpoints(caller);
    const made = endpoints.length === 0 ? [] : [definitionOf(endpoints, caller)];
    ofCatalog.set(caller.principal, made);
    return made;
  };
  return {
    list: async (caller) => list(caller),
    find: async (caller, name) => {
      const [definition] = name === NAME ? list(caller) : [];
      const allowed = Object.keys(definition?.inputSchema.properties ?? {});
      return definition && { run: (args, asking) => run(exports, readArguments(args, allowed), asking) };
    },
  };
}

function exportedEndpoints(caller: Caller): readonly Endpoint[] {
  return endpointsOf(caller).filter((endpoint) => endpoint.export !== undefined);
}

/** More names are not in the schema. */
const MAX_NAMES = 40;

function definitionOf(endpoints: readonly Endpoint[], { principal }: Caller): ToolDefinition {
  const { endpoint: _endpoint, parameters, ...query } = QUERY;
  const names = endpoints.map(({ name }) => name);
  const isOpen = endpoints.some((each) => openEndpoint(each, principal) !== undefined);
  const formats = new Set(endpoints.flatMap((each) => each.export?.formats ?? []));
  const places = new Set(endpoints.flatMap((each) => each.export?.places ?? []));
  return {
    name: NAME,
    title: 'Export all rows to a file',
    description:
      'Makes a file of all rows of an endpoint, in the background, where its tool returns only some of them. Returns a link to the export; call it with endpoint and id alone for its state. The rows are not in the answer: the file is downloaded over HTTP with the key of this connection.',
    inputSchema: {
      type: 'object',
      properties: {
        endpoint: {
          type: 'string',
          description: 'Name of the endpoint.',
          ...(names.length > MAX_NAMES ? {} : { enum: names }),
        },
        parameters: { ...parameters, description: 'Parameters of the endpoint, by name.' },
        ...(isOpen ? query : {}),
        format: { type: 'string', enum: [...formats], description: 'Default: the first of the endpoint.' },
        ...(places.has('s3') ? { to: { type: 'string', enum: [...places] } } : {}),
        id: { type: 'string', description: 'Of an export that was made: its state, and no other export.' },
      },
      required: ['endpoint'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
  };
}

async function run(exports: ReadExports, read: QueryArguments, caller: Caller): Promise<ToolResult> {
  const endpoint = named(read.endpoint, caller);
  const { id, to } = read;
  if (id !== undefined) {
    checkAlone(read);
    return resultOf(exports.find(identityOf(caller.principal, endpoint), id));
  }
  const call = caller.exportCall(referenceOf(endpoint), queryFields(read), formatOf(read, endpoint), to);
  return resultOf(await exports.create(call));
}

/** Throws Problem `route.endpoint_unknown`, which does not depend on endpoints outside the key's scope. */
function named(name: string | undefined, caller: Caller): Endpoint {
  if (name === undefined) throw invalid('endpoint', 'is required');
  const endpoints = exportedEndpoints(caller);
  const found = endpoints.find((each) => each.name === name);
  if (found !== undefined) return found;
  const shown = name.slice(0, 100);
  const guess = nearest(
    shown,
    endpoints.map((each) => each.name),
  );
  throw new Problem('route.endpoint_unknown', {
    detail: `No endpoint "${shown}" of this key has exports`,
    hint: didYouMean(guess) ?? 'The description of the argument endpoint lists them.',
  });
}

/** An export is found by its id alone: other arguments would do nothing. Throws Problem. */
function checkAlone({ parameters, sql, lql, dialect, format, to }: QueryArguments): void {
  const isAlone =
    parameters.size === 0 && [sql, lql, dialect, format, to].every((each) => each === undefined);
  if (!isAlone) throw invalid('id', 'is sent with endpoint alone');
}

/** Throws Problem. */
function formatOf({ format }: QueryArguments, endpoint: Endpoint): FormatName {
  const found = format === undefined ? endpoint.export?.formats[0] : formatNamed(format);
  if (found === undefined) throw invalid('format', 'must be parquet, csv, ndjson or arrow');
  return found;
}

function invalid(parameter: string, message: string): Problem {
  return new Problem('request.parameters_invalid', { errors: [{ parameter, message }] });
}

/** Throws Problem: why an export has no file. */
function resultOf(record: ExportRecord): ToolResult {
  if (record.failure !== undefined) throw problemOf(record.failure);
  const { id, endpoint, state, rows, bytes, format } = record;
  const document = exportDocument(record);
  const next =
    state === 'finished'
      ? `GET ${String(document['result'])} of this service, with the key of this connection, downloads the file until ${String(document['expires'])}.`
      : `It goes on without this call. Call ${NAME} with endpoint and id for its state.`;
  const text = `Export ${id} of ${endpoint}: ${state}, ${rows} rows, ${bytes} bytes of ${format}. ${next}`;
  return {
    content: [
      { type: 'text', text: plainText(text) },
      {
        type: 'resource_link',
        uri: exportUri(record),
        name: fileNameOf(record),
        description: `The state of the export, and the address of its file (${contentTypeOf(format)}).`,
        mimeType: 'application/json',
      },
    ],
    structuredContent: { ...document },
  };
}

function exportUri({ endpoint, id }: ExportRecord): string {
  return `millrace://endpoints/${encodeURIComponent(endpoint)}/exports/${id}`;
}

/** The text of the resource of an export. Throws Problem `export.unknown`. */
export function exportText(
  exports: ReadExports,
  { principal }: Caller,
  endpoint: Endpoint,
  id: string,
): string {
  return `${JSON.stringify(exportDocument(exports.find(identityOf(principal, endpoint), id)), undefined, 2)}\n`;
}
