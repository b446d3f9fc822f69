// Reads the content of a request besides its key: a query, and values by name, from the URL and the body.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../sql/base/problem.ts';
import { hasBody } from '../../http/body.ts';
import { readText } from '../../http/body-text.ts';
import { mediaTypeOf, queryStringOf } from '../../http/call-fields.ts';
import { invalidParameter, readFields, type Fields } from '../../http/fields.ts';
import type { RawValue } from '../../params/reading.ts';
import { FORMAT_FIELDS } from './formats.ts';
import { KEY_FIELD } from './key.ts';

export interface SentContent {
  /** `q`; undefined if there is none, or an empty one. */
  readonly query: string | undefined;
  /** `pipeline`: the pipe that `_` in a query is; undefined for none. */
  readonly pipeline: string | undefined;
  /** Settings of formats. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** All values by name, those above included, without the key. */
  readonly fields: Fields;
}

/** Call once. Throws Problem. */
export async function readSent(request: FastifyRequest, reply: FastifyReply): Promise<SentContent> {
  const body = hasBody(request.raw) ? await readText({ request: request.raw, response: reply.raw }) : '';
  const type = mediaTypeOf(request);
  const hasFields = type === 'application/json' || (type === FORM && IS_FORM.test(body));
  const sent = body !== '' && hasFields ? { type, text: body } : undefined;
  const all = new Map<string, readonly RawValue[]>(readFields(queryStringOf(request), sent));
  all.delete(KEY_FIELD);
  // Tinybird's own clients send their names so; they are no values of a parameter.
  if (all.get('from')?.every((value) => CLIENTS.has(value)) === true) all.delete('from');
  const inBody = body !== '' && !hasFields ? queryIn(type, body) : [];
  const queries = [...(all.get('q') ?? []), ...inBody].filter((value) => value !== '' && value !== null);
  const [query, second] = queries;
  if (second !== undefined)
    throw new Problem('request.query_conflict', { detail: 'There are two queries', hint: 'Send q once.' });
  if (query !== undefined && typeof query !== 'string') throw invalidParameter('q', 'must be a string');
  return { query, pipeline: textIn(all, 'pipeline'), settings: settingsIn(all), fields: all };
}

const FORM = 'application/x-www-form-urlencoded';
/** curl labels every body as a form; no query begins as one does. */
const IS_FORM = /^[\w%.[\]-]+=/;
const CLIENTS: ReadonlySet<RawValue> = new Set(['ts-sdk', 'python-sdk']);
const OF_QUERIES: ReadonlySet<string> = new Set(['', FORM, 'text/plain', 'application/sql']);

function queryIn(type: string, body: string): readonly string[] {
  if (OF_QUERIES.has(type)) return [body];
  throw new Problem('request.body_type_unsupported', {
    detail: `Bodies of type ${type.slice(0, 100)} are not supported`,
    hint: 'Send application/json, application/x-www-form-urlencoded or text/plain.',
  });
}

function settingsIn(fields: Fields): SentContent['settings'] {
  return FORMAT_FIELDS.flatMap((name) => {
    const value = textIn(fields, name);
    return value === undefined ? [] : [[name, value] as const];
  });
}

/** Throws Problem if there are several. */
function textIn(fields: Fields, name: string): string | undefined {
  const [value, second] = fields.get(name) ?? [];
  if (second !== undefined) throw invalidParameter(name, 'was sent more than once');
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'object') throw invalidParameter(name, 'must be one value');
  return String(value);
}
