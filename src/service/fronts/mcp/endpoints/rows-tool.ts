// Calls the saved query of an endpoint for an agent.
import { referenceOf } from '../../../endpoints/endpoint.ts';
import type { Endpoint } from '../../../endpoints/endpoint.ts';
import type { Caller } from '../caller.ts';
import { rowsToContent, type RowsContent } from './answer-text.ts';
import { argumentFields, type Arguments } from './arguments.ts';
import { narrowingText } from './tool-text.ts';

/** The rows as content within the limits of the endpoint. Throws Problem. */
export async function callEndpoint(
  endpoint: Endpoint,
  given: Arguments,
  caller: Caller,
): Promise<RowsContent> {
  const answer = await caller.answer(referenceOf(endpoint), argumentFields(endpoint, given));
  return rowsToContent(answer, {
    maxRows: endpoint.mcp?.maxRows ?? 0,
    narrowing: narrowingText(endpoint, caller.principal),
  });
}
