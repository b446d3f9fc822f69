// Reads the reserved fields of a call: a consumer query, if one was sent and is allowed.
import type { Principal } from '../auth/principal.ts';
import type { Dialect, Endpoint } from '../catalog/endpoint.ts';
import { Problem } from '../core/problem.ts';
import type { Statement } from '../engine/engine.ts';
import type { RawValue } from '../params/reading.ts';

/** A consumer query, in one of the languages that the endpoint accepts. */
export interface ConsumerQuery {
  readonly language: 'sql' | 'lql';
  readonly text: string;
  /** The dialect the caller specified; undefined: try the endpoint's dialects in order. */
  readonly dialect: Dialect | undefined;
  /** Called if the query crashed the engine process, or may have. */
  readonly onFatal?: Statement['onFatal'];
  /** Identifier of the key that sent it; checks of the query count against its share of the connections too. */
  readonly key?: string | undefined;
}

type Fields = ReadonlyMap<string, readonly RawValue[]>;

const RESERVED: ReadonlySet<string> = new Set(['sql', 'lql', 'format', 'dialect']);

/** The fields that are endpoint parameters. */
export function parametersOf(fields: Fields): Fields {
  return new Map([...fields].filter(([name]) => !RESERVED.has(name)));
}

/** The consumer query; undefined if none, or an empty one, was sent. Throws Problem if it is not allowed. */
export function readConsumerQuery(
  fields: Fields,
  endpoint: Endpoint,
  principal: Principal,
): ConsumerQuery | undefined {
  const texts = (['sql', 'lql'] as const).flatMap((language) => textsOf(fields, language));
  const queries = texts.map((each) => ({ ...each, dialect: requestedDialect(fields, endpoint) }));
  const [query, second] = queries;
  if (query === undefined) return undefined;
  if (second !== undefined) throw new Problem('request.query_conflict');
  const { enabled, languages } = endpoint.sandbox;
  if (!enabled)
    throw new Problem('sandbox.disabled', { detail: `${endpoint.name} does not accept consumer queries` });
  if (!languages.has(query.language)) {
    const taken = [...languages].join(', ');
    throw new Problem('sandbox.disabled', {
      detail: `${endpoint.name} accepts consumer queries in ${taken} only`,
    });
  }
  if (principal.languages.has(query.language)) return query;
  throw new Problem('auth.forbidden', {
    detail: `The key "${principal.name}" is not allowed to send ${query.language} queries`,
    hint: `The issuer of the key can add ${query.language} to its allow list.`,
  });
}

function requestedDialect(fields: Fields, { sandbox, name }: Endpoint): Dialect | undefined {
  const asked = fields.get('dialect')?.find((value) => value !== '' && value !== null);
  if (asked === undefined) return undefined;
  const dialect = sandbox.dialects.find((each) => each === asked);
  if (dialect !== undefined) return dialect;
  const message = `${name} accepts SQL in ${sandbox.dialects.join(' and ')} only`;
  throw new Problem('request.parameters_invalid', { errors: [{ parameter: 'dialect', message }] });
}

function textsOf(fields: Fields, language: 'sql' | 'lql'): Omit<ConsumerQuery, 'dialect'>[] {
  return (fields.get(language) ?? []).flatMap((value) => {
    if (value === '' || value === null) return [];
    if (typeof value === 'string') return [{ language, text: value }];
    throw new Problem('request.parameters_invalid', {
      errors: [{ parameter: language, message: 'Expected a string' }],
    });
  });
}
