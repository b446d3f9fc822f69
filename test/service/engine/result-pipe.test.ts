// Frames of results, whatever the pieces in which they arrive.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createReceiver,
  frameHeader,
  type SentResult,
} from '../../../src/service/engine/embedded/result-pipe.ts';

test('results arrive whole, in order, whatever the pieces', () => {
  const result = fc.record({
    id: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    rows: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    bytes: fc.uint8Array({ maxLength: 200 }),
  });
  const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(result, { maxLength: 10 }), cuts, (results, lengths) => {
      const stream = Buffer.concat(results.flatMap((each) => [frameHeader(each), each.bytes]));
      const received: SentResult[] = [];
      const receive = createReceiver((each) => received.push(each));
      for (let at = 0, turn = 0; at < stream.length; turn++) {
        const length = lengths[turn % lengths.length] ?? 1;
        const piece = Uint8Array.from(stream.subarray(at, at + length));
        receive(piece);
        piece.fill(0); // a piece's memory is used again
        at += length;
      }
      expect(received.map((each) => ({ ...each, bytes: [...each.bytes] }))).toEqual(
        results.map((each) => ({ ...each, bytes: [...each.bytes] })),
      );
    }),
    { seed: 7, numRuns: 300 },
  );
});
