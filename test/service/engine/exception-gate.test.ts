// Detects errors at the end of a body, however it is split into chunks.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EngineError } from '../../../src/service/engine/engine.ts';
import { createTaggedGate, createTailGate } from '../../../src/service/engine/http/exception-gate.ts';
import type { ExceptionGate } from '../../../src/service/engine/http/exception-gate.ts';
import { anyCharacter } from '../../support/any-character.ts';

const TAG = 'abcdefghijklmnop';
const MESSAGE = 'Code: 395. DB::Exception: bad; see Code: 1 in row. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)';
const TAGGED = `\r\n__exception__\r\n${TAG}\r\n${MESSAGE}\n${MESSAGE.length + 1} ${TAG}\r\n__exception__\r\n`;
const PLAIN = `${MESSAGE} (version 24.8.1.1 (official build))\n`;

interface Passed {
  readonly body: string;
  readonly code?: number | undefined;
}

/** All that the gate lets through of the pieces, and the code that it ends with. */
function pass(gate: ExceptionGate, pieces: readonly Uint8Array[]): Passed {
  const out = pieces.map((piece) => Buffer.from(gate.push(piece)));
  try {
    out.push(Buffer.from(gate.end()));
    return { body: Buffer.concat(out).toString() };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { body: Buffer.concat(out).toString(), code: error.engineCode };
  }
}

function cut(text: string, at: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const ends = at.map((n) => n % (bytes.length + 1)).toSorted((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const cuts = fc.array(fc.nat(), { maxLength: 12 });
const rows = fc
  .array(fc.string({ unit: anyCharacter, maxLength: 30 }), { maxLength: 20 })
  .map((texts) => texts.map((text) => `${JSON.stringify({ text })}\n`).join(''));

describe('a tagged error', () => {
  test('is removed, and all rows before it pass', () => {
    const property = fc.property(rows, cuts, (body, at) => {
      expect(pass(createTaggedGate(TAG), cut(body + TAGGED, at))).toEqual({ body, code: 395 });
    });
    fc.assert(property, { seed: 1, numRuns: 300 });
  });

  test('without an error, everything passes', () => {
    const property = fc.property(rows, cuts, (body, at) => {
      expect(pass(createTaggedGate(TAG), cut(body, at))).toEqual({ body });
    });
    fc.assert(property, { seed: 2, numRuns: 300 });
  });

  test('a connection cut inside the error is still an error', () => {
    const short = TAGGED.slice(0, TAGGED.indexOf('bad'));
    expect(pass(createTaggedGate(TAG), [Buffer.from(`1\n${short}`)])).toEqual({ body: '1\n', code: 395 });
  });

  test('markers of other responses are rows', () => {
    const body = `\r\n__exception__\r\n${TAG.toUpperCase()}\r\n`;
    expect(pass(createTaggedGate(TAG), [Buffer.from(body)])).toEqual({ body });
  });
});

describe('a plain error', () => {
  test('is removed; it may begin inside a row', () => {
    const property = fc.property(rows, cuts, fc.nat(5), (body, at, torn) => {
      const whole = body.slice(0, body.length - torn);
      const passed = pass(createTailGate(), cut(whole + PLAIN, at));
      expect(passed.code).toBe(395);
      expect(whole.startsWith(passed.body)).toBe(true);
    });
    fc.assert(property, { seed: 3, numRuns: 300 });
  });

  test('without an error, everything passes', () => {
    const property = fc.property(rows, cuts, (body, at) => {
      expect(pass(createTailGate(), cut(body, at))).toEqual({ body });
    });
    fc.assert(property, { seed: 4, numRuns: 300 });
  });

  test.each([
    { body: `${JSON.stringify({ log: PLAIN })}\n`, why: 'JSON rows' },
    { body: `[${JSON.stringify(PLAIN)}]\n`, why: 'compact rows' },
    { body: `"log"\n"${PLAIN}"\n`, why: 'CSV' },
    { body: `PAR1${PLAIN}PAR1`, why: 'Parquet' },
  ])('the same text as data in $why is data', ({ body }) => {
    expect(pass(createTailGate(), [Buffer.from(body)])).toEqual({ body });
  });

  test('a long body is streamed before its end', () => {
    const gate = createTailGate();
    const long = Buffer.alloc(1_000_000, 'x');
    expect(gate.push(long).length).toBeGreaterThan(900_000);
  });

  test('its code is that of the last error in the text', () => {
    const body = `${JSON.stringify({ log: 'Code: 47. DB::Exception: old' })}\n`;
    expect(pass(createTailGate(), [Buffer.from(body + PLAIN)])).toEqual({ body: '', code: 395 });
  });

  test('longer than the held-back tail, it is still an error', () => {
    const gate = createTailGate();
    gate.push(Buffer.from(PLAIN.replace('bad', 'bad '.repeat(20_000))));
    expect(() => gate.end()).toThrow(EngineError);
  });
});
