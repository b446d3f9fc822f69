// Transforming rows: in parts and in threads with the same result, without holding the event loop, and until the signal aborts.
import { afterAll, describe, expect, test } from 'vitest';
import { etagInParts, etagOf } from '../../../src/service/cache/entry.ts';
import { after } from '../../../src/sql/base/clock.ts';
import { withRoom } from '../../../src/service/formats/room.ts';
import { joined } from '../../../src/service/request/transform/parts.ts';
import { createPause } from '../../../src/service/request/transform/pause.ts';
import { createRedactor, NO_REDACTION } from '../../../src/guard/redact/redactor.ts';
import {
  createTransformer,
  type TransformerOptions,
} from '../../../src/service/request/transform/transformer.ts';
import type { Transform } from '../../../src/service/request/transform/transforms.ts';
import { countTurns } from '../../support/loop-turns.ts';

const made: ReturnType<typeof createTransformer>[] = [];
afterAll(() => Promise.all(made.map(({ close }) => close())));

function transformerOf(options: Partial<TransformerOptions> = {}) {
  const transformer = createTransformer({ pause: createPause(), after, ...options });
  made.push(transformer);
  return transformer;
}

const never = { signal: new AbortController().signal, key: 'a' };
const rowOf = (row: unknown): string => `${JSON.stringify(row)}\n`;
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const redactor = createRedactor({
  detectors: ['ip', 'email', 'token', 'api_key', 'card', 'iban', 'phone'],
  kind: true,
  columns: { secret: 'drop', 'profile.name': 'hash', phone: 'mask' },
  hashKey: 'a key for hashes',
});
const redaction = (isAfterSource: boolean) => ({ kind: 'redact', redactor, isAfterSource }) as const;
const ROWS = Buffer.from(
  [
    {
      id: 1,
      secret: 2,
      text: 'ann@ex.com from 10.0.0.1',
      profile: { name: 'Ann' },
      phone: '+1',
      when: '2024-01-01T00:00:00Z',
    },
    { id: 2, secret: null, text: ['10%2e0.0.1', 'a"b\n,'], profile: { name: null }, phone: null, when: null },
    { id: 3, secret: '', text: 'ü１0.0.0.1', profile: {}, phone: [], when: '2024-01-01T00:00:00.5Z' },
  ]
    .map(rowOf)
    .join(''),
);
const HEAD = Buffer.concat([
  Buffer.from(rowOf({ 'a@b.example': null, n: null, ip: null })),
  Buffer.from(rowOf({ 'a@b.example': 'x', n: 1, ip: '1.2.3.4' })),
]);

const TRANSFORMS: readonly (readonly [what: string, transform: Transform, lines: Buffer])[] = [
  ['redaction', redaction(false), ROWS],
  ['redaction after the source', redaction(true), ROWS],
  ['redaction that finds nothing', redaction(false), Buffer.from(rowOf({ a: 'nothing' }))],
  ['no redaction', { kind: 'redact', redactor: NO_REDACTION, isAfterSource: false }, ROWS],
  [
    'the columns that redaction changes',
    {
      kind: 'redact_columns',
      redaction: redaction(false),
      columns: [
        { name: 'a@b.example', type: 'String' },
        { name: 'n', type: 'UInt8' },
        { name: 'ip', type: 'IPv4' },
      ],
    },
    HEAD,
  ],
  [
    'the shape of BigQuery',
    { kind: 'bigquery', timestamps: { members: new Map([['when', 'timestamp']]) } },
    ROWS,
  ],
  ['CSV', { kind: 'csv' }, ROWS],
  ['names', { kind: 'names' }, ROWS],
  ['members', { kind: 'members', names: ['when', 'id', 'none'] }, ROWS],
];

const inThreads = transformerOf({ inPlace: 0 });

test.each(TRANSFORMS)('%s is the same in a thread', async (_, transform, lines) => {
  const before = Buffer.from(lines);
  const here = await transformerOf().whole(transform, lines, never);
  const there = await inThreads.whole(transform, lines, never);
  expect({ ...there, bytes: text(there.bytes) }).toEqual({ ...here, bytes: text(here.bytes) });
  expect(there.bytes === lines).toBe(here.bytes === lines);
  expect(lines).toEqual(before);
});

const LONG = 'u1@ex.com '.repeat(150_000);

describe('the event loop is free', () => {
  test.each([
    [
      'many rows',
      Array.from({ length: 3000 }, (_, n) => rowOf({ n, text: 'u1@ex.com '.repeat(100) })).join(''),
    ],
    ['one row with a list', rowOf({ x: Array.from({ length: 1500 }, () => 'u1@ex.com '.repeat(100)) })],
    ['one row with a text', rowOf({ x: LONG })],
    ['rows of any size', rowOf({ x: 1 }) + rowOf({ x: LONG }) + rowOf({ x: 2 })],
  ])('while %s are redacted', async (_, lines) => {
    const transformer = transformerOf();
    const { result, turns } = await countTurns(() =>
      transformer.rows(redaction(false), Buffer.from(lines), never),
    );
    expect(text(result.bytes)).toBe(lines.replaceAll('u1@ex.com', 'REDACTED:email'));
    expect(turns).toBeGreaterThan(4);
  });

  test('and parts of several results take turns', async () => {
    const transformer = transformerOf();
    const lines = Buffer.from(`${'x'.repeat(999)}\n`.repeat(2000));
    const one = await countTurns(() => transformer.rows({ kind: 'csv' }, lines, never));
    const four = await countTurns(() =>
      Promise.all([1, 2, 3, 4].map(() => transformer.rows({ kind: 'csv' }, lines, never))),
    );
    expect(four.turns).toBeGreaterThan(3 * one.turns);
  });
});

test('pauses end one after the other, each in a turn of its own', async () => {
  const pause = createPause();
  const { turns } = await countTurns(() => Promise.all(Array.from({ length: 20 }, pause)));
  expect(turns).toBeGreaterThan(18);
});

describe('long results', () => {
  const LONG_BODY = Buffer.alloc(2 ** 25 + 1, 'abc');

  test('have the same entity tag, computed in parts', async () => {
    const { result, turns } = await countTurns(() => etagInParts(LONG_BODY, createPause()));
    expect(result).toBe(etagOf(LONG_BODY));
    expect(turns).toBeGreaterThan(3);
    expect(await etagInParts(LONG_BODY.subarray(0, 9), createPause())).toBe(etagOf(LONG_BODY.subarray(0, 9)));
  });

  test('are joined in parts, with room for an envelope', async () => {
    const parts = [Buffer.from('<'), LONG_BODY, Buffer.alloc(0), Buffer.from('>')];
    const { result, turns } = await countTurns(() => joined(parts, createPause()));
    expect(result.equals(Buffer.concat(parts))).toBe(true);
    expect(turns).toBeGreaterThan(3);
    expect(withRoom(result, 11, 20)).toHaveLength(result.length + 31);
  });

  test('of a thread have room for an envelope', async () => {
    const { bytes } = await inThreads.whole({ kind: 'csv' }, ROWS, never);
    expect(withRoom(bytes, 11, 20)).toHaveLength(bytes.length + 31);
  });
});

describe('a signal that aborts', () => {
  const reason = new Error('left');

  test('ends the work of a thread; the next work has another one', async () => {
    const transformer = transformerOf();
    const controller = new AbortController();
    const lines = Buffer.from(rowOf({ x: 'u1@ex.com '.repeat(2_000_000) }));
    const work = transformer.rows(redaction(false), lines, { signal: controller.signal, key: 'a' });
    setImmediate(() => controller.abort(reason));
    await expect(work).rejects.toBe(reason);
    const next = await transformer.rows(redaction(false), Buffer.from(rowOf({ x: LONG })), never);
    expect(next.bytes.length).toBeGreaterThan(0);
  });

  test('ends work in parts after a part', async () => {
    const transformer = transformerOf();
    const controller = new AbortController();
    const lines = Buffer.from(`${'x'.repeat(999)}\n`.repeat(20_000));
    const work = transformer.rows({ kind: 'csv' }, lines, { signal: controller.signal, key: 'a' });
    setImmediate(() => controller.abort(reason));
    await expect(work).rejects.toBe(reason);
  });

  test('before the work', async () => {
    const context = { signal: AbortSignal.abort(reason), key: 'a' };
    await expect(transformerOf().whole({ kind: 'csv' }, ROWS, context)).rejects.toBe(reason);
  });
});

test('a row that needs more memory than a thread has is too large; the next one is not', async () => {
  const transformer = transformerOf({ inPlace: 2 ** 16, threadMebibytes: 32 });
  const many = Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`name ${n}`, `value ${n}`]));
  const large = transformer.whole({ kind: 'csv' }, Buffer.from(rowOf(many)), never);
  await expect(large).rejects.toMatchObject({ code: 'format.too_large' });
  const { bytes } = await transformer.whole({ kind: 'csv' }, Buffer.from(rowOf({ x: LONG })), never);
  expect(text(bytes)).toBe(`${LONG}\r\n`);
});

test('a row that is no JSON is an error of the caller, and the next row is not', async () => {
  const transformer = transformerOf({ inPlace: 0 });
  const broken = Buffer.from('{"profile":{"name":"\\x"}}\n');
  await expect(transformer.whole(redaction(false), broken, never)).rejects.toThrow(SyntaxError);
  expect((await transformer.whole({ kind: 'names' }, ROWS, never)).bytes.length).toBeGreaterThan(2);
});
