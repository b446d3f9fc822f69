// The program of a thread that transforms large rows: reports that it is ready, then transforms one after the other.
import { parentPort } from 'node:worker_threads';
import { allocateWithRoom } from '../../formats/room.ts';
import { createRedactor, type Redactor, type RedactorOptions } from '../../../guard/redact/redactor.ts';
import { apply, withRedactor, type TransformReply, type TransformRequest } from './transforms.ts';

let last: { readonly key: string; readonly redactor: Redactor } | undefined;

/** Compiled once for successive rows of a result. */
function redactorOf(options: RedactorOptions): Redactor {
  const key = JSON.stringify(options);
  if (last?.key !== key) last = { key, redactor: createRedactor(options) };
  return last.redactor;
}

function reply({ transform, lines }: TransformRequest): TransformReply {
  try {
    const { bytes, ...rest } = apply(withRedactor(transform, redactorOf), lines);
    return { kind: 'done', ...rest, bytes: bytes === lines ? undefined : withOwnRoom(bytes) };
  } catch (error) {
    if (isTooLong(error)) return { kind: 'too_large' };
    throw error;
  }
}

/** Memory that can be handed over: small buffers share theirs. */
function withOwnRoom(bytes: Uint8Array): Uint8Array {
  const own = allocateWithRoom(bytes.length);
  own.set(bytes);
  return own;
}

/** V8's limit on the length of strings is reported in two ways. */
function isTooLong(error: unknown): boolean {
  return (
    error instanceof RangeError ||
    (error instanceof Error && Reflect.get(error, 'code') === 'ERR_STRING_TOO_LONG')
  );
}

parentPort?.on('message', (request: TransformRequest) => {
  const sent = reply(request);
  const handedOver =
    sent.kind === 'done' && sent.bytes !== undefined ? [sent.bytes.buffer as ArrayBuffer] : []; // made here
  parentPort?.postMessage(sent, handedOver);
});
parentPort?.postMessage('ready', []);
