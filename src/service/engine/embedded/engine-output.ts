// What the engine's process writes to standard error, such as why it crashed: an observation instead of lines that are no JSON.
import type { Readable } from 'node:stream';
import type { Observe } from '../../../sql/base/observation.ts';

/** Longest text of an observation. */
const MAX_TEXT = 2000;

/**
 * Reports output until the stream ends. Once the returned function has been called, statements run, which the output may quote, so
 * that only its size is reported.
 */
export function watchOutput(errors: Readable | null, observe: Observe): () => void {
  let isOpen = false;
  errors?.setEncoding('utf8').on('data', (text: string) => {
    const output = isOpen ? {} : { text: text.trim().slice(0, MAX_TEXT) };
    observe({ kind: 'engine.output', bytes: Buffer.byteLength(text), ...output });
  });
  return () => {
    isOpen = true;
  };
}
