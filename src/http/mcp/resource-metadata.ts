// OAuth 2.0 Protected Resource Metadata (RFC 9728): where clients get tokens for this service.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../core/problem.ts';
import { headerText } from '../receive.ts';
import { rejectOtherMethods } from '../other-methods.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Adds the documents of the service and of a path on it. They need no key. */
export function addResourceMetadata(app: FastifyInstance, path: string, issuer: string): void {
  for (const resource of ['', path]) {
    const url = `${WELL_KNOWN}${resource}`;
    app.get(url, async (request, reply) => {
      const origin = originOf(request);
      if (origin === undefined) throw new Problem('route.unknown');
      reply.header('Content-Type', 'application/json; charset=utf-8').header('Cache-Control', 'no-store');
      return JSON.stringify({
        resource: `${origin}${resource}`,
        resource_name: 'Millrace',
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
      });
    });
    rejectOtherMethods(app, url, ['GET']);
  }
}

/** The address of the document of a path. */
export function metadataUrl(request: FastifyRequest, path: string): string | undefined {
  const origin = originOf(request);
  return origin && `${origin}${WELL_KNOWN}${path}`;
}

const HOST = /^(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\])(?::\d{1,5})?$/;

/**
 * The origin of the service as the client has it. What a proxy reports is believed: it only concerns the response to this
 * request, which no cache stores.
 */
function originOf(request: FastifyRequest): string | undefined {
  const [forwarded = ''] = (headerText(request, 'x-forwarded-host') ?? '').split(',', 1);
  const host = forwarded.trim() === '' ? request.headers.host : forwarded.trim();
  if (host === undefined || !HOST.test(host)) return undefined;
  const [protocol = ''] = (headerText(request, 'x-forwarded-proto') ?? '').split(',', 1);
  return `${protocol.trim().toLowerCase() === 'https' ? 'https' : 'http'}://${host}`;
}
