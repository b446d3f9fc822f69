// Reads the reserved fields of a call: a consumer query, if one was sent and is allowed.
import { LIVE_FIELDS } from '../../endpoints/checks/live.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Dialect, Endpoint } from '../../endpoints/endpoint.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Statement } from '../../engine/engine.ts';
import type { RawValue } from '../../params/reading.ts';
import type { CallContent } from '../call.ts';

/** A consumer query as sent, in one of the languages that the endpoint accepts. */
export interface ConsumerQuery {
  readonly language: 'sql' | 'lql';
  readonly text: string;
  /** The dialect the caller specified; undefined: try the endpoint's dialects in order. */
  readonly dialect: Dialect | undefined;
  /** Called if the query crashed the engine process, or may have. */
  readonly onFatal?: Statement['onFatal'];
  /** Identifier of the key that sent it; checks of the query count against its share of the connections too. */
  readonly key?: string | undefined;
  /** Counts what analyses of it cost; undefined: they are counted against no budget. */
  readonly analysis?: Statement['analysis'];
}

type Fields = ReadonlyMap<string, readonly RawValue[]>;

const RESERVED: ReadonlySet<string> = new Set(['sql', 'lql', 'format', 'dialect']);

export const PAGE_FIELDS: ReadonlySet<string> = new Set(['page_size', 'cursor']);

/** The fields that are parameters of the endpoint. */
export function parametersOf(
  { fields, metadata }: Pick<CallContent, 'fields' | 'metadata'>,
  { version, page, live, parameters }: Pick<Endpoint, 'version' | 'page' | 'live' | 'parameters'>,
): Fields {
  const isReserved = (name: string): boolean =>
    RESERVED.has(name) ||
    (version !== undefined && name === 'version') ||
    (page !== undefined && PAGE_FIELDS.has(name)) ||
    (live !== undefined && LIVE_FIELDS.has(name)) ||
    (name === 'meta' && metadata !== undefined && parameters['meta'] === undefined);
  return new Map([...fields].filter(([name]) => !isReserved(name)));
}

/** The consumer query; undefined if none, or an empty one, was sent. Throws Problem if it is not allowed. */
export function readConsumerQuery(
  fields: Fields,
  endpoint: Endpoint,
  principal: Principal,
): ConsumerQuery | undefined {
  const queries = [...queriesIn(fields, 'sql'), ...queriesIn(fields, 'lql')];
  const [query, second] = queries;
  if (query === undefined) return undefined;
  const dialect = requestedDialect(fields, endpoint);
  if (second !== undefined) throw new Problem('request.query_conflict');
  const { enabled, languages } = endpoint.sandbox;
  if (!enabled)
    throw new Problem('sandbox.disabled', { detail: `${endpoint.name} does not accept consumer queries` });
  if (!languages.has(query.language)) {
    throw new Problem('sandbox.disabled', {
      detail: `${endpoint.name} accepts consumer queries in ${[...languages].join(', ')} only`,
    });
  }
  if (principal.languages.has(query.language)) return { ...query, dialect };
  throw new Problem('auth.forbidden', {
    detail: `The key "${principal.name}" is not allowed to send ${query.language} queries`,
    hint: `The issuer of the key can add ${query.language} to its allow list.`,
  });
}

function requestedDialect(fields: Fields, { sandbox, name }: Endpoint): Dialect | undefined {
  const requested = fields.get('dialect')?.find((value) => value !== '' && value !== null);
  if (requested === undefined) return undefined;
  const dialect = sandbox.dialects.find((each) => each === requested);
  if (dialect !== undefined) return dialect;
  const message = `${name} accepts SQL in ${sandbox.dialects.join(' and ')} only`;
  throw new Problem('request.parameters_invalid', { errors: [{ parameter: 'dialect', message }] });
}

function queriesIn(
  fields: Fields,
  language: ConsumerQuery['language'],
): readonly Pick<ConsumerQuery, 'language' | 'text'>[] {
  return (fields.get(language) ?? []).flatMap((value) => {
    if (value === '' || value === null) return [];
    if (typeof value === 'string') return [{ language, text: value }];
    throw new Problem('request.parameters_invalid', {
      errors: [{ parameter: language, message: 'Expected a string' }],
    });
  });
}
