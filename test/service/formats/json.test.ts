import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allocateWithRoom } from '../../../src/service/formats/room.ts';
import { encodeJson } from '../../../src/service/formats/json.ts';
import { cutLines } from '../../../src/service/formats/lines.ts';

const lines = (rows: readonly unknown[]): Buffer =>
  Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

/** The same in memory with room for the envelope, as the embedded engine's results are. */
const roomy = (bytes: Buffer): Buffer => {
  const memory = allocateWithRoom(bytes.length);
  bytes.copy(memory);
  return memory;
};

describe('the JSON envelope', () => {
  test.each([
    { why: 'no rows', rows: [], max: 10, body: '{"result":[]}', truncated: false },
    { why: 'one row', rows: [{ a: 1 }], max: 10, body: '{"result":[{"a":1}]}', truncated: false },
    { why: 'exactly the maximum', rows: [1, 2], max: 2, body: '{"result":[1,2]}', truncated: false },
    { why: 'one over', rows: [1, 2, 3], max: 2, body: '{"result":[1,2],"truncated":true}', truncated: true },
    {
      why: 'a line break inside a value',
      rows: ['a\nb'],
      max: 2,
      body: '{"result":["a\\nb"]}',
      truncated: false,
    },
  ])('$why', ({ rows, max, body, truncated }) => {
    const cut = cutLines(lines(rows), max);
    expect(encodeJson(cut).toString()).toBe(body);
    expect(encodeJson(cutLines(roomy(lines(rows)), max)).toString()).toBe(body);
    expect(cut).toMatchObject({ rows: Math.min(rows.length, max), truncated });
  });

  test('holds exactly the first rows, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 30 }),
        fc.integer({ min: 1, max: 20 }),
        (rows, max) => {
          const body = encodeJson(cutLines(lines(rows), max));
          const expected = JSON.parse(JSON.stringify(rows.slice(0, max))) as unknown;
          const envelope: unknown =
            rows.length > max ? { result: expected, truncated: true } : { result: expected };
          expect(JSON.parse(body.toString())).toEqual(envelope);
          expect(encodeJson(cutLines(roomy(lines(rows)), max)).equals(body)).toBe(true);
        },
      ),
      { seed: 7, numRuns: 500 },
    );
  });
});
