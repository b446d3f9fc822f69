// Random LQL syntax trees, and random strings that are almost LQL, for property tests.
import fc from 'fast-check';
import { AGGREGATES, LEVELS } from '../../../src/sql/lql/tree.ts';
import { UNITS } from '../../../src/sql/lql/time.ts';
import { micros } from './corpus.ts';

const NOTHING = { start: 0, end: 0 };
const DAY = 86_400_000_000n;

/** Text of all kinds that a query can hold: anything but NUL, with more of what has a meaning in LQL. */
export const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        '\\',
        '~',
        ':',
        '>',
        '(',
        ')',
        '.',
        '..',
        '-',
        ' ',
        '\n',
        'NULL',
        'true',
        "'",
        '`',
        '{',
        '*',
      ),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
      fc.integer().map(String),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''));

const word = fc.stringMatching(/^[a-z_0-9]{1,4}$/);
const name = fc.stringMatching(/^[A-Za-z_]\w{0,4}$/);
const span = fc.constant(NOTHING);
const named = (text: fc.Arbitrary<string>) => fc.record({ text, span });

const segment = fc.oneof(
  { weight: 3, arbitrary: word },
  fc.constantFrom('k8s/pod', 'user-agent', 'a.b', 'a b', 'm', 't', 'f', 'select', '"', '\\'),
  anyText.filter((text) => text !== ''),
);
const path = fc
  .oneof(
    fc.array(segment, { minLength: 1, maxLength: 3 }),
    fc.array(segment, { minLength: 1, maxLength: 3 }).map((rest) => ['metadata', ...rest]),
    fc.constantFrom(['c'], ['chart'], ['m'], ['level'], ['timestamp'], ['m', 'x']),
  )
  .chain((segments) => fc.record({ segments: fc.constant(segments), span }));

const digits = fc.nat({ max: 99_999 });
const numberText = fc.tuple(fc.boolean(), digits, fc.option(digits)).map(([negative, whole, fraction]) => {
  return `${negative ? '-' : ''}${whole}${fraction === null ? '' : `.${fraction}`}`;
});
const at = fc.bigInt({ min: micros('1900-01-01T00:00:00Z'), max: micros('2261-12-31T00:00:00Z') });
const day = at.map((instant) => instant - (((instant % DAY) + DAY) % DAY));
const moment = (zoned: boolean) =>
  fc.oneof(
    at.map((instant) => ({ kind: 'instant', micros: instant, zoned }) as const),
    ...(zoned ? [] : [day.map((midnight) => ({ kind: 'day', micros: midnight, zoned }) as const)]),
  );

const isoTime = fc
  .tuple(at, fc.constantFrom('', 'Z', '+02:00'))
  .map(([instant, offset]) => `${new Date(Number(instant / 1000n)).toISOString().slice(0, 19)}${offset}`);

const momentRange = fc.boolean().chain((zoned) =>
  fc.tuple(moment(zoned), moment(zoned)).map(([a, b]) => {
    const [from, to] = a.micros <= b.micros ? [a, b] : [b, a];
    return { kind: 'range', from, to } as const;
  }),
);

const point = fc.oneof(
  moment(true),
  moment(false),
  fc.constantFrom('now', 'today', 'yesterday').map((kind) => ({ kind })),
);
const stretch = fc.oneof(
  momentRange,
  fc.constantFrom(...UNITS).map((unit) => ({ kind: 'this', unit }) as const),
  fc.record({ kind: fc.constant('last'), count: fc.nat({ max: 9999 }), unit: fc.constantFrom(...UNITS) }),
);

const comparison = fc.constantFrom(':', ':>', ':>=', ':<', ':<=');
const textValue = anyText.map((text) => ({ kind: 'text', text }));
const scalar = fc.oneof(
  textValue,
  numberText.map((text) => ({ kind: 'number', text })),
  isoTime.map((text) => ({ kind: 'time', text })),
);
const boolean = fc.boolean().map((value) => ({ kind: 'boolean', value }));
const numberRange = fc.tuple(numberText, numberText).map(([a, b]) => {
  const [from, to] = Number(a) <= Number(b) ? [a, b] : [b, a];
  return { kind: 'range', of: 'number', from, to };
});
const levelRange = fc.tuple(fc.nat({ max: 7 }), fc.nat({ max: 7 })).map(([a, b]) => {
  return { kind: 'range', of: 'level', from: LEVELS[Math.min(a, b)], to: LEVELS[Math.max(a, b)] };
});

const common = { kind: fc.constant('field'), negated: fc.boolean(), path, span };
const located = (value: fc.Arbitrary<object>) => fc.record({ value, span });
const one = (value: fc.Arbitrary<object>) => located(value).map((each) => [each]);
const several = (value: fc.Arbitrary<object>) => fc.array(located(value), { minLength: 1, maxLength: 4 });
const equal = fc.oneof(scalar, fc.constant({ kind: 'null' }), boolean, numberRange);
const field = fc.oneof(
  fc.record({ ...common, operator: comparison, values: one(scalar) }),
  fc.record({ ...common, operator: fc.constant(':'), values: several(equal) }),
  fc.record({
    ...common,
    path: fc.constant({ segments: ['metadata', 'level'], span: NOTHING }),
    operator: fc.constant(':'),
    values: several(fc.oneof(levelRange, textValue)),
  }),
  fc.record({ ...common, operator: fc.constantFrom(':~', ':@>~'), values: one(textValue) }),
  fc.record({ ...common, operator: fc.constant(':@>'), values: several(fc.oneof(scalar, boolean)) }),
);

const timestamp = fc.constant({ segments: ['timestamp'], span: NOTHING });
const time = {
  kind: fc.constant('timestamp'),
  negated: fc.boolean(),
  path: timestamp,
  valueSpan: span,
  span,
};
const timestampFilter = fc.oneof(
  fc.record({ ...time, operator: comparison, value: point }),
  fc.record({ ...time, operator: fc.constant(':'), value: stretch }),
);

const message = fc.record({
  kind: fc.constant('message'),
  negated: fc.boolean(),
  match: fc.constantFrom('contains', 'regex'),
  value: named(anyText),
  span,
});

const from = fc.record({ kind: fc.constant('from'), table: named(name), span });
const select = fc.oneof(
  fc.record({ kind: fc.constant('select'), span }),
  fc.record(
    { kind: fc.constant('select'), path, alias: named(name), span },
    { requiredKeys: ['kind', 'path', 'span'] },
  ),
);
const aggregate = fc.record(
  { kind: fc.constant('aggregate'), function: fc.constantFrom(...AGGREGATES), path, span },
  { requiredKeys: ['kind', 'function', 'span'] },
);
const bucket = fc.record({
  kind: fc.constant('bucket'),
  period: fc.constantFrom('second', 'minute', 'hour', 'day'),
  span,
});

const shape = fc.oneof(
  fc.array(select, { maxLength: 3 }),
  fc.tuple(aggregate).map((clauses) => [...clauses]),
  fc.tuple(bucket, aggregate).map((clauses) => [...clauses]),
);

/** Clauses as the parser gives them, all places nothing. */
export const anyClauses = fc
  .tuple(fc.option(from), shape, fc.array(fc.oneof(field, timestampFilter, message), { maxLength: 6 }))
  .map(([first, shown, filters]) => [...(first === null ? [] : [first]), ...shown, ...filters]);
