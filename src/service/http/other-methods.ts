// Answers the methods that a path does not have.
import { METHODS } from 'node:http';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { Problem } from '../../sql/base/problem.ts';

/** All that Node parses, except CONNECT, which is no request for a path. */
export const ALL_METHODS: readonly string[] = METHODS.filter((method) => method !== 'CONNECT');

/** RFC 9110: other methods get 405 with Allow; OPTIONS reports the methods. */
export function rejectOtherMethods(app: FastifyInstance, url: string, allowed: readonly HTTPMethods[]): void {
  const own: readonly HTTPMethods[] = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed;
  const allow = [...own, 'OPTIONS'].toSorted().join(', ');
  const method = ALL_METHODS.filter((each) => !own.includes(each));
  app.route({
    url,
    method,
    config: { allow },
    handler: (request, reply) => {
      reply.header('Allow', allow);
      if (request.method === 'OPTIONS') return reply.code(204).send();
      throw new Problem('route.method_not_allowed', {
        detail: `${request.method} is not allowed here; use ${allow}`,
      });
    },
  });
}
