// OAuth 2.0 Protected Resource Metadata (RFC 9728): where clients get tokens for this service.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../../sql/base/problem.ts';
import { rejectOtherMethods } from '../../http/other-methods.ts';
import { headerText } from '../../http/call-fields.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

export interface ResourceOptions {
  readonly issuer: string;
  /** Undefined: the origin of each request. */
  readonly publicUrl: string | undefined;
}

/** Adds the documents of the service and of a path on it. They need no key. */
export function addResourceMetadata(app: FastifyInstance, path: string, options: ResourceOptions): void {
  const { issuer, publicUrl } = options;
  const paths = new Set(['', pathOf(publicUrl)].flatMap((base) => [base, `${base}${path}`]));
  for (const resource of paths) {
    const url = `${WELL_KNOWN}${resource}`;
    app.get(url, async (request, reply) => {
      const base = baseOf(request, publicUrl);
      if (base === undefined) throw new Problem('route.unknown');
      reply.header('Content-Type', 'application/json; charset=utf-8').header('Cache-Control', 'no-store');
      return JSON.stringify({
        resource: resource.endsWith(path) ? `${base}${path}` : base,
        resource_name: 'Millrace',
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
      });
    });
    rejectOtherMethods(app, url, ['GET']);
  }
}

/** The address of the document of a path: the path of the service is the end of the document's (RFC 9728, 3.1). */
export function metadataUrl(
  request: FastifyRequest,
  path: string,
  publicUrl: string | undefined,
): string | undefined {
  const base = baseOf(request, publicUrl);
  return base && `${new URL(base).origin}${WELL_KNOWN}${pathOf(publicUrl)}${path}`;
}

/** Without the slash at its end. */
function pathOf(url: string | undefined): string {
  return url === undefined ? '' : new URL(url).pathname.replace(/\/$/, '');
}

/** The address of the service, as configured or as the client has it. */
function baseOf(request: FastifyRequest, publicUrl: string | undefined): string | undefined {
  return publicUrl ?? originOf(request);
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
