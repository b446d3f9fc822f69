// Answers a query over an endpoint's tables through the request path of all calls.
import { referenceOf } from '../../endpoints/endpoint.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { RawValue } from '../../params/reading.ts';
import type { Call } from '../../request/call.ts';
import type { ClickHouseAnswer } from './call.ts';
import type { Answering } from './answering.ts';
import { unescapeText } from './placeholders.ts';
import type { Request } from './request.ts';
import { timeLimited } from './time-limit.ts';
import { answer } from '../../request/answer.ts';

export interface EndpointQuery {
  readonly endpoint: Endpoint;
  /** Without qualifiers, placeholders and clauses of the interface. */
  readonly text: string;
  /** Placeholders of the query: parameters that are not among them are those of the endpoint, and an endpoint's own are both. */
  readonly used: ReadonlySet<string>;
  /** Of the database's suffix. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Throws Problem. */
export async function answerEndpoint(
  { path, running, clock, after }: Answering,
  request: Request,
  query: EndpointQuery,
): Promise<ClickHouseAnswer> {
  const { principal, queryId, content, contentType, format } = request;
  const { text } = query;
  const started = clock.monotonic();
  const entry = running.begin(principal.id, {
    queryId,
    query: content.text.slice(0, MAX_SHOWN),
    database: referenceOf(query.endpoint),
    started,
  });
  const limited = timeLimited(after, request, entry.signal);
  try {
    const found = await answer(path, { ...endpointCall(request, query, text), signal: limited.signal });
    const { body, truncated, summary } = found;
    return { body, contentType, format: format.engine, queryId, summary, truncated, answer: found };
  } finally {
    limited.end();
    entry.end();
  }
}

/** Characters of a query in system.processes. */
export const MAX_SHOWN = 10_000;

/** The call that a query is for the request path. */
export function endpointCall(request: Request, query: EndpointQuery, text: string): Call {
  const { call, content, format } = request;
  const { redact, labels, reservation, directives } = content;
  const fields = new Map<string, readonly RawValue[]>([
    ...parametersOf(request, query),
    ['sql', [text]],
    ['dialect', ['clickhouse']],
  ]);
  return {
    requestId: call.requestId,
    endpoint: referenceOf(query.endpoint),
    key: call.key,
    record: call.record,
    signal: call.signal,
    read: async () => ({ fields, format, redact, resultShape: undefined, labels, reservation, directives }),
  };
}

/** Fields of the API that are no parameters. */
const RESERVED: ReadonlySet<string> = new Set(['sql', 'lql', 'format', 'dialect']);

/** The parameters of the endpoint: of the suffix, replaced by those that are sent. */
function parametersOf(
  { content, principal }: Request,
  { used, parameters, endpoint }: EndpointQuery,
): readonly (readonly [string, readonly RawValue[]])[] {
  const sent = [...content.parameters]
    .filter(([name]) => !used.has(name) || Object.hasOwn(endpoint.parameters, name))
    .map(([name, value]) => [name, unescapeText(value) ?? value] as const);
  const all = new Map([...parameters, ...sent]);
  const reserved = [...all.keys()].find((name) => RESERVED.has(name));
  if (reserved !== undefined) {
    const message = 'No database has a parameter of this name';
    throw new Problem('request.parameters_invalid', { errors: [{ parameter: reserved, message }] });
  }
  requireParameters(endpoint, new Set([...all.keys(), ...principal.locked.keys()]));
  return [...all].map(([name, value]) => [name, [value]] as const);
}

/** Clients of this interface send parameters in other ways than those of the API. */
function requireParameters({ name, parameters }: Endpoint, given: ReadonlySet<string>): void {
  const missing = Object.entries(parameters)
    .filter(([parameter, spec]) => spec.required === true && !given.has(parameter))
    .map(([parameter]) => parameter);
  const [first] = missing;
  if (first === undefined) return;
  throw new Problem('request.parameters_invalid', {
    detail: `Database ${name} needs the parameter ${missing.join(', ')}: send param_${first}=…, or name the database \`${name}:${first}=…\`, or use a key that locks ${first}`,
    hint: 'SHOW DATABASES lists the databases of your key.',
  });
}
