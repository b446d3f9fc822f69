// Texts about the service for readers and agents: /llms.txt, endpoints as Markdown, guides.
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../core/problem.ts';
import { rateLimitFields } from '../rate-limits/rate-limits.ts';
import type { RequestKind } from '../request/admit.ts';
import type { CallRecord } from '../request/call.ts';
import { matchesTag } from './explorer.ts';
import { rejectOtherMethods } from './other-methods.ts';
import { keyOf } from './receive.ts';

/** Who asks for a text. */
export interface TextReader {
  readonly key: string | undefined;
  readonly record: CallRecord;
  readonly kind: RequestKind;
}

/** The texts that a key may read, as Markdown. Each throws Problem and counts as a request of its kind against the rate limit. */
export interface TextSource {
  readonly llms: (reader: TextReader) => Promise<string>;
  /** Undefined: there is no such guide. */
  readonly guide: (reader: TextReader, name: string) => Promise<string | undefined>;
  /** Undefined: this is no address of the Markdown of an endpoint; nothing is counted. */
  readonly endpoint: (reader: TextReader, address: string) => Promise<string | undefined>;
  /** Counts a request as a call. */
  readonly count: (reader: TextReader) => Promise<unknown>;
}

const MARKDOWN = 'text/markdown; charset=utf-8';

/** Adds /llms.txt and the guides. */
export function addTextRoutes(app: FastifyInstance, source: TextSource): void {
  app.get('/llms.txt', (request, reply) =>
    sendTagged(request, reply, {
      contentType: 'text/plain; charset=utf-8',
      text: source.llms,
      count: source.count,
    }),
  );
  rejectOtherMethods(app, '/llms.txt', ['GET']);
  const guides = '/guides/:name';
  app.get<{ Params: { name: string } }>(guides, async (request, reply) => {
    const sent = await sendTagged(request, reply, {
      contentType: MARKDOWN,
      text: (reader) => source.guide(reader, request.params.name),
      count: source.count,
    });
    if (sent === undefined) throw new Problem('route.unknown');
    return sent;
  });
  rejectOtherMethods(app, guides, ['GET']);
}

/** Sends the Markdown of an endpoint; undefined if the request is for something else. */
export async function sendEndpointText(
  request: FastifyRequest<{ Params: { endpoint: string } }>,
  reply: FastifyReply,
  source: TextSource,
): Promise<FastifyReply | undefined> {
  const { endpoint } = request.params;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || !endpoint.endsWith('.md')) return undefined;
  return sendTagged(request, reply, {
    contentType: MARKDOWN,
    text: (reader) => source.endpoint(reader, endpoint),
    count: source.count,
  });
}

/** What a key may call differs by key. */
export const BY_KEY = { Vary: 'Authorization, X-API-KEY' };

export interface TaggedText {
  readonly contentType: string;
  readonly text: (reader: TextReader) => Promise<string | undefined>;
  readonly count: (reader: TextReader) => Promise<unknown>;
}

/**
 * Sends a text with an entity tag, so that clients can check for changes without receiving it again. Undefined without one. A check counts as
 * such, and as a call if the text has changed.
 */
export async function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, text: read, count }: TaggedText,
): Promise<FastifyReply | undefined> {
  const { record } = reply;
  const condition = request.headers['if-none-match'];
  const reader = { key: keyOf(request), record };
  const isCheck = condition !== undefined;
  const text = await read({ ...reader, kind: isCheck ? 'check' : 'call' });
  if (text === undefined) return undefined;
  const etag = `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`; // weak: the same for every coding
  const isUnchanged = matchesTag(condition, etag);
  if (isCheck && !isUnchanged) await count({ ...reader, kind: 'call' });
  reply.headers({ ...rateLimitFields(record.limits), ...BY_KEY, ETag: etag, 'Cache-Control': 'no-store' });
  return isUnchanged ? reply.code(304).send() : reply.header('Content-Type', contentType).send(text);
}
