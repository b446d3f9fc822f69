// Texts with an entity tag, for the key of each request.
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rateLimitFields } from '../limits/rate-limits.ts';
import type { CallRecord } from '../request/call.ts';
import { keyOf } from './call-fields.ts';
import { matchesTag } from './entity-tag.ts';
import type { RequestKind } from '../request/admission/keys.ts';

/** Who asks for a text. */
export interface TextReader {
  readonly key: string | undefined;
  readonly record: CallRecord;
  readonly kind: RequestKind;
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
