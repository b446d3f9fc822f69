import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DETECTOR_NAMES } from '../../../src/guard/redact/detectors.ts';
import { createRedactor, type Redactor } from '../../../src/guard/redact/redactor.ts';
import { escapeSome, hardJson, hardText } from './fragments.ts';
import { runs } from '../../support/runs.ts';

const ALL = DETECTOR_NAMES;
const REDACTORS: readonly Redactor[] = [
  createRedactor({}),
  createRedactor({ detectors: ALL }),
  createRedactor({ detectors: ALL, kind: true }),
  createRedactor({ detectors: ['email'], kind: true }),
];
const redactor = fc.constantFrom(...REDACTORS);

function redactJson({ redactLines }: Redactor, json: string): string {
  return Buffer.from(redactLines(Buffer.from(`${json}\n`))).toString();
}

/** What stays of a value when it is redacted: its shape, and every value that is no text. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.values(value).map(shapeOf);
}

function replacementsIn(text: string): number {
  return text.split('REDACTED').length - 1;
}

describe('redacting', () => {
  test('gives JSON of the same shape', () => {
    fc.assert(
      fc.property(redactor, hardJson, (redactor, value) => {
        const redacted: unknown = JSON.parse(redactJson(redactor, JSON.stringify(value)));
        expect(shapeOf(redacted)).toEqual(shapeOf(JSON.parse(JSON.stringify(value))));
      }),
      { seed: 11, numRuns: runs(500) },
    );
  });

  test('is idempotent', () => {
    fc.assert(
      fc.property(redactor, hardText, (redactor, text) => {
        // Whether four numbers are a version depends on what is around them, which quoted-printable changes: once an address beside them
        // is replaced, they may be one.
        fc.pre(!/=(?:2E|40)/.test(text));
        const once = redactor.redactText(text);
        const twice = redactor.redactText(once);
        // What is no host name, such as `4111.2.3.42x.png`, may be one with a replacement in it: such a match has a replacement.
        const more = twice === once ? 0 : replacementsIn(twice) - replacementsIn(once);
        expect(more).toBeLessThanOrEqual(0);
      }),
      { seed: 12, numRuns: runs(1500) },
    );
  });

  test('does not depend on how a string is escaped', () => {
    fc.assert(
      fc.property(redactor, hardText, fc.infiniteStream(fc.boolean()), (redactor, text, choices) => {
        fc.pre(!text.includes('\\') && !text.includes('%')); // escapes in the text itself are read as well
        const json = JSON.stringify(text);
        const escaped = escapeSome(json, () => choices.next().value === true);
        expect(JSON.parse(redactJson(redactor, escaped))).toBe(JSON.parse(redactJson(redactor, json)));
      }),
      { seed: 13, numRuns: runs(750) },
    );
  });

  test('of rows is redacting each row', () => {
    fc.assert(
      fc.property(redactor, fc.array(hardJson, { maxLength: 5 }), (redactor, values) => {
        const lines = values.map((value) => JSON.stringify(value));
        const each = lines.map((line) => redactJson(redactor, line)).join('');
        const all = redactor.redactLines(Buffer.from(lines.map((line) => `${line}\n`).join('')));
        expect(Buffer.from(all).toString()).toBe(each);
      }),
      { seed: 14, numRuns: runs(250) },
    );
  });

  test('dropping, masking and hashing keep JSON and the other members', () => {
    const { redactLines } = createRedactor({
      detectors: ['iban'],
      columns: { drop: 'drop', mask: 'mask', hash: 'hash' },
      hashKey: 'x',
    });
    const name = fc.constantFrom('drop', 'mask', 'hash', 'a', 'b', 'c');
    const row = fc
      .array(fc.tuple(name, fc.jsonValue({ maxDepth: 2 })), { maxLength: 7 })
      .map(Object.fromEntries);
    fc.assert(
      fc.property(row, (row: Record<string, unknown>) => {
        const redacted: unknown = JSON.parse(
          Buffer.from(redactLines(Buffer.from(`${JSON.stringify(row)}\n`))).toString(),
        );
        const { drop: _, ...rest } = JSON.parse(JSON.stringify(row)) as Record<string, unknown>; // a row by its making
        const hidden = (value: unknown) =>
          value === null ? null : expect.stringMatching(/^(REDACTED|[0-9a-f]{32})$/);
        if ('mask' in rest) rest['mask'] = hidden(rest['mask']);
        if ('hash' in rest) rest['hash'] = hidden(rest['hash']);
        expect(redacted).toEqual(rest);
      }),
      { seed: 15, numRuns: runs(350) },
    );
  });
});

describe('unredacted content', () => {
  test('is unchanged and in order: offsets refer to the original text', () => {
    fc.assert(
      fc.property(hardText, (text) => {
        fc.pre(Buffer.from(text).toString() === text); // a lone surrogate is written as another character
        const pieces = createRedactor({ detectors: ALL }).redactText(text).split('REDACTED');
        let at = 0;
        for (const [index, piece] of pieces.entries()) {
          const found = text.indexOf(piece, at);
          expect(index === 0 ? found : Math.min(found, 0)).toBe(0);
          at = found + piece.length;
        }
        expect(text.endsWith(pieces.at(-1) ?? '')).toBe(true);
        if (pieces.length === 1) expect(pieces).toEqual([text]);
      }),
      { seed: 17, numRuns: runs(1000) },
    );
  });

  test('is the same array if nothing is found, in every reading', () => {
    const harmless = fc.array(
      fc.constantFrom(
        ...'＠ １２ \u00ad \u200b \u00a0 &#64; &nbsp; &amp; =40 =\n %C2%AD é 日本 x\t; &'.split(' '),
      ),
    );
    const { redactLines } = createRedactor({ detectors: ALL });
    fc.assert(
      fc.property(harmless, (pieces) => {
        const lines = Buffer.from(`${JSON.stringify({ text: pieces.join(' ') })}\n`);
        expect(redactLines(lines)).toBe(lines);
      }),
      { seed: 18, numRuns: runs(500) },
    );
  });
});

describe('an address in any encoding', () => {
  const fullWidth = (each: string) => String.fromCharCode(each.charCodeAt(0) + 0xfee0);
  const MASKS: readonly ((each: string) => string)[] = [
    (each) => each,
    fullWidth,
    (each) => `\u200b${each}`,
    (each) => `\u00ad${each}`,
    (each) => `&#${each.charCodeAt(0)};`,
    (each) => `&amp;#x${each.charCodeAt(0).toString(16)};`,
    (each) => encodeURIComponent(fullWidth(each)),
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  ];
  const DISGUISED = [
    '203.0.113.9',
    '2001:db8::1',
    'ann.b@mail.example.com',
    '4111111111111111',
    '+4915112345678',
  ];

  test.each(DISGUISED)('is found as a whole: %s', (address) => {
    const { redactText } = createRedactor({ detectors: ALL });
    const masks = fc.array(fc.constantFrom(...MASKS), {
      minLength: address.length,
      maxLength: address.length,
    });
    fc.assert(
      fc.property(masks, (masks) => {
        const hidden = address
          .split('')
          .map((each, index) => masks[index]?.(each))
          .join('');
        // What cannot be seen before the first character may stay.
        expect(redactText(`from ${hidden} to`)).toMatch(/^from [\u200b\u00ad]?REDACTED to$/);
      }),
      { seed: 19, numRuns: runs(250) },
    );
  });
});

describe('every address', () => {
  // Two labels that begin with digits are a version, as in pkg@1.2.3-rc.beta.
  const hostName = fc.domain().filter((name) => !/^\d[^.]*\.\d/.test(name));
  const before = fc.constantFrom(
    '１ ',
    'x\u00ad ',
    '&#64; ',
    '=40a ',
    '=\n',
    '%EF%BC%A0 ',
    '',
    ' ',
    '=',
    '(',
    '"',
    ',',
    'from ',
    'a: ',
    '→',
    '/',
    '[',
    '\n',
  );
  const behind = fc.constantFrom('', ' ', ')', '"', ',', ':80', '/x', '.', ' and', ']', '\n', ';');

  test.each([
    { kind: 'IPv4', address: fc.ipV4() },
    {
      kind: 'IPv6 in full',
      address: fc
        .array(fc.integer({ min: 0x100, max: 0xffff }), { minLength: 8, maxLength: 8 })
        .map((groups) => groups.map((group) => group.toString(16)).join(':')),
    },
    { kind: 'IPv6 mapped', address: fc.ipV4().map((address) => `::ffff:${address}`) },
    {
      kind: 'e-mail',
      address: fc
        .tuple(fc.stringMatching(/^[a-z][a-z0-9._+-]{0,20}[a-z0-9]$/), hostName)
        .map((parts) => parts.join('@')),
    },
  ])('is found in any context: $kind', ({ address }) => {
    const { redactText } = createRedactor({});
    fc.assert(
      fc.property(before, address, behind, (before, address, behind) => {
        expect(redactText(before + address + behind)).toBe(`${before}REDACTED${behind}`);
      }),
      { seed: 16, numRuns: runs(350) },
    );
  });
});
