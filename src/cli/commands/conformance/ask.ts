// Sends queries to an endpoint of a service.
import { setTimeout } from 'node:timers/promises';
import {
  callService,
  membersIn,
  NoResponseError,
  problemIn,
  type ServiceAddress,
  type ServiceResponse,
  type ProblemText,
} from '../../kit/service-client.ts';
import type { Answered } from './outcome.ts';
import type { ConsumerQuery } from '../../kit/consumer-queries.ts';
import type { AnswerQuery } from './run.ts';

export interface Target extends ServiceAddress {
  /** Name or UUID. */
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** For queries in SQL that name none; undefined: detected by the service. */
  readonly dialect: string | undefined;
  /** Per query. */
  readonly timeoutMs: number;
}

/** Waits for a rate limit or a full queue: at most as often, and as long each time. */
const MAX_WAITS = 20;
const MAX_WAIT_SECONDS = 60;

export function createAsk(target: Target): AnswerQuery {
  const { endpoint, timeoutMs } = target;
  return async (query) => {
    const body = fieldsOf(query, target);
    const call = { route: 'query', endpoint, body, accept: 'application/json', timeoutMs } as const;
    try {
      for (let waits = 0; ; waits++) {
        const response = await callService(target, call);
        const wait = Number(response.headers.get('retry-after') ?? '0');
        const isFull = response.status === 429 || response.status === 503;
        if (!isFull || waits === MAX_WAITS || !(wait > 0 && wait <= MAX_WAIT_SECONDS))
          return answeredOf(response);
        await setTimeout(wait * 1000);
      }
    } catch (cause) {
      if (!(cause instanceof NoResponseError)) throw cause;
      return { ...NOTHING, ...failureOf(cause) };
    }
  };
}

const NOTHING: Answered = {
  status: 0,
  code: undefined,
  message: undefined,
  location: undefined,
  hint: undefined,
  dialect: undefined,
  result: undefined,
};

/** What is sent; a query's own parameters take precedence over the command's. */
function fieldsOf(query: ConsumerQuery, target: Target): Readonly<Record<string, unknown>> {
  const { language, text, parameters } = query;
  const dialect = query.dialect ?? target.dialect;
  const chosen = language === 'lql' || dialect === undefined ? {} : { dialect };
  return { ...target.parameters, ...parameters, ...chosen, [language]: text };
}

function answeredOf({ status, headers, body }: ServiceResponse): Answered {
  const dialect = headers.get('millrace-dialect') ?? undefined;
  const { result } = membersIn(body);
  if (status === 200 && Array.isArray(result)) return { ...NOTHING, status, dialect, result };
  const problem = problemIn(body);
  const errors = problem?.errors ?? [];
  const located = errors.find(({ line }) => line !== undefined);
  const messages = errors.length > 0 ? errors.map(messageOf) : [problem?.message ?? ''];
  return {
    ...NOTHING,
    status,
    dialect,
    code: problem?.code ?? (status === 200 ? 'invalid_response' : undefined),
    message: [...new Set(messages)].filter((each) => each !== '').join(': ') || `status ${status}`,
    location: located?.line === undefined ? undefined : { line: located.line, column: located.column ?? 1 },
    hint: problem?.hint,
  };
}

function messageOf({ parameter, message }: ProblemText['errors'][number]): string {
  return parameter === undefined || parameter === 'sql' || parameter === 'lql'
    ? message
    : `${parameter} ${message}`;
}

/** Why there was no response. */
function failureOf({ isTimeout, message }: NoResponseError): Pick<Answered, 'code' | 'message'> {
  if (isTimeout) return { code: 'timeout', message: 'no response within --timeout' };
  return { code: 'unreachable', message: `the service cannot be reached: ${message}` };
}
