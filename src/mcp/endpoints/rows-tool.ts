// Calls the saved query of an endpoint for an agent.
import type { Endpoint } from '../../catalog/endpoint.ts';
import { createLru } from '../../core/lru.ts';
import type { Caller } from '../caller.ts';
import { rowsToContent, type RowsContent } from './answer-text.ts';
import { argumentFields, type Arguments } from './arguments.ts';
import { narrowingText } from './tool-text.ts';

/** The rows as content within the limits of the endpoint. Throws Problem. */
export type CallEndpoint = (endpoint: Endpoint, given: Arguments, caller: Caller) => Promise<RowsContent>;

/** Bytes of the contents that are remembered: a cached response is called again and again. */
const MAX_BYTES = 16 * 2 ** 20;
/** The text, the rows as objects, and their overhead. */
const SIZE_OF_TEXT = 6;

export function createCallEndpoint(): CallEndpoint {
  const contents = createLru<RowsContent>({
    size: MAX_BYTES,
    sizeOf: ({ content: [{ text }] }, key) => (text.length + key.length) * SIZE_OF_TEXT,
  });
  return async (endpoint, given, caller) => {
    const fields = argumentFields(endpoint, given);
    const answer = await caller.answer(endpoint.name, fields, 'ndjson');
    const maxRows = endpoint.mcp?.maxRows ?? 0;
    const narrowing = narrowingText(endpoint, caller.principal);
    // The tag depends on all bytes of the rows.
    const key = JSON.stringify([answer.etag, answer.rows, answer.truncated, maxRows, narrowing]);
    const known = contents.get(key);
    if (known !== undefined) return known;
    const content = rowsToContent(answer, { maxRows, narrowing });
    contents.set(key, content);
    return content;
  };
}
