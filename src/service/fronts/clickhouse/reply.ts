// Answers and problems as a ClickHouse server sends them: header fields, compression, exceptions.
import type { FastifyReply } from 'fastify';
import type { Problem } from '../../../sql/base/problem.ts';
import { rateLimitFields } from '../../limits/rate-limits.ts';
import type { ClickHouseAnswer } from './call.ts';
import type { Compression } from '../../http/compression.ts';
import { READABLE_CODINGS } from '../../http/content-coding.ts';
import { compressBlocks } from './blocks.ts';
import { exceptionFor } from './errors.ts';
import { withBlockInfo } from '../../request/formats/native/blocks.ts';
import type { ReplyOptions } from './receive.ts';
import { answerFields, dataFields } from '../../http/answer-fields.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** How the client wants the answer; undefined until the URL is read. */
    queryReply: ReplyOptions | undefined;
  }
}

export interface RepliesOptions {
  readonly compression: Compression;
  readonly headerPrefix: string;
  /** As `version()` returns it; shown in exceptions. */
  readonly version: string;
}

export interface Replies {
  readonly sendAnswer: (reply: FastifyReply, answer: ClickHouseAnswer) => Promise<FastifyReply>;
  readonly sendProblem: (reply: FastifyReply, problem: Problem) => FastifyReply;
}

const TEXT = 'text/plain; charset=UTF-8';

/** Creates the functions that send. Bodies are complete: no failure can follow the first byte. */
export function createReplies({ compression, headerPrefix, version }: RepliesOptions): Replies {
  /** Compresses as the client asked, and sends. */
  const send = async (reply: FastifyReply, body: Buffer, etag?: string): Promise<FastifyReply> => {
    const { isInBlocks = false, isEncoded = false } = reply.queryReply ?? {};
    const contentType = String(reply.getHeader('content-type'));
    const plain = { body: isInBlocks ? await compressBlocks(body) : body, contentType };
    const accepted = isEncoded ? reply.request.headers['accept-encoding'] : undefined;
    const coding = compression.choose(accepted, plain, 1); // a server compresses all
    if (coding === undefined) return reply.send(plain.body);
    const tag = isInBlocks ? undefined : etag;
    return reply.header('Content-Encoding', coding).send(await compression.encode(plain, coding, tag));
  };

  return {
    sendAnswer: async (
      reply,
      { body: written, contentType, format, queryId, summary, truncated, answer },
    ) => {
      const version = reply.queryReply?.protocolVersion ?? 0;
      const body = format === 'Native' ? await withBlockInfo(written, version) : written;
      reply.answer = answer;
      const fields = summaryOf(summary, body);
      reply.headers({
        ...rateLimitFields(reply.record.limits),
        ...(answer === undefined ? {} : ownFields(answer, headerPrefix)),
        ...dataFields(answer?.dataAge),
        ...(truncated ? { 'Millrace-Truncated': 'true' } : {}),
        'Cache-Control': 'no-store', // keys may be in the URL, and header fields that no cache knows change the answer
        'Content-Type': contentType,
        'X-ClickHouse-Query-Id': queryId,
        'X-ClickHouse-Format': format,
        'X-ClickHouse-Timezone': 'UTC',
        'X-ClickHouse-Summary': fields,
      });
      if (reply.queryReply?.hasProgress === true) reply.header('X-ClickHouse-Progress', fields);
      // The tag is of the bytes as written: under it, compressed bodies are cached for clients of all versions.
      const isTagged = answer?.outcome !== undefined && body === written;
      return send(reply, body, isTagged ? answer.etag : undefined);
    },
    sendProblem: (reply, problem) => {
      const { code, status, text } = exceptionFor(problem, version);
      reply.code(status).headers({
        ...rateLimitFields(reply.record?.limits),
        ...(status === 401 ? { 'WWW-Authenticate': challengeFor(reply) } : {}),
        ...(problem.code === 'request.encoding_unsupported' ? { 'Accept-Encoding': READABLE_CODINGS } : {}),
        ...(problem.retryAfter === undefined ? {} : { 'Retry-After': Math.ceil(problem.retryAfter) }),
        'Cache-Control': 'no-store',
        'Content-Type': TEXT,
        'X-ClickHouse-Exception-Code': code,
        'X-ClickHouse-Query-Id': reply.request.id,
      });
      // JDBC drivers read these as they are, whatever they asked for.
      if (reply.queryReply !== undefined && (status === 401 || status === 403))
        reply.queryReply = { ...reply.queryReply, isInBlocks: false };
      send(reply, Buffer.from(text)).catch(() => reply.raw.destroy());
      return reply;
    },
  };
}

/** Of the header fields of the API's answers, those that say something about this one. */
function ownFields(
  answer: NonNullable<ClickHouseAnswer['answer']>,
  headerPrefix: string,
): Readonly<Record<string, string>> {
  const { ETag: _etag, Vary: _vary, ...fields } = answerFields({ ...answer, url: '' }, headerPrefix);
  return fields;
}

/**
 * Numbers are strings, as in a server's. Rows and bytes read are those of the result: the real numbers count rows of other tenants.
 */
function summaryOf({ resultRows, elapsedNs }: ClickHouseAnswer['summary'], body: Buffer): string {
  const values = {
    read_rows: resultRows,
    read_bytes: body.length,
    written_rows: 0,
    written_bytes: 0,
    total_rows_to_read: resultRows,
    result_rows: resultRows,
    result_bytes: body.length,
    elapsed_ns: Math.round(elapsedNs),
  };
  return JSON.stringify(
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, `${value}`])),
  );
}

/**
 * Programs learn that a password is expected. Browsers do not: they would ask for one, keep it, and send it with
 * requests that other sites cause.
 */
function challengeFor({ request: { headers } }: FastifyReply): string {
  const isBrowser =
    headers['sec-fetch-mode'] !== undefined || headers['user-agent']?.startsWith('Mozilla/') === true;
  return isBrowser ? 'Bearer realm="millrace"' : 'Basic realm="millrace", charset="UTF-8"';
}
