// Texts about the service for readers and agents: /llms.txt, endpoints as Markdown, guides.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../sql/base/problem.ts';
import { rejectOtherMethods } from '../../http/other-methods.ts';
import { type TextReader, sendTagged } from '../../http/tagged-text.ts';

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
