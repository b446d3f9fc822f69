// Parts of the page's frame that need no browser: fuzzy matching, saved views, sizes of type, when an example runs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_SHOWN, rank, type PaletteAction } from '../../explorer/src/palette/actions.ts';
import {
  MAX_NAME,
  MAX_VIEWS,
  savedViews,
  type SavedView,
} from '../../explorer/src/saved-views/saved-views.ts';
import type { Endpoint } from '../../explorer/src/service/listing.ts';
import { mayRunUnasked } from '../../explorer/src/state/initial-address.ts';

const action = (label: string, hint?: string): PaletteAction => ({
  id: label,
  label,
  hint,
  run: () => undefined,
});

describe('the palette', () => {
  const actions = [
    action('Run', 'the request'),
    action('Bypass cache', 'run again'),
    action('Show as Chart', 'switch tab'),
    action('Copy as curl', 'the request'),
    action('Dark theme'),
    action('usage.api-counts', 'Counts of API requests'),
    action('logs.all', 'Rows of any log'),
    action('logs.all.otel', 'Rows of any log, as OpenTelemetry'),
    action('auth.logins', 'Logins, without logs'),
  ];

  test.each([
    { query: 'run', best: 'Run', why: 'the whole label before a hint' },
    { query: 'logs', best: 'logs.all', why: 'the beginning, and the shorter one' },
    { query: 'otel', best: 'logs.all.otel', why: 'the beginning of a segment' },
    { query: 'uac', best: 'usage.api-counts', why: 'first letters of segments' },
    { query: 'usgapi', best: 'usage.api-counts', why: 'letters left out' },
    { query: 'curl copy', best: 'Copy as curl', why: 'words in any order' },
    { query: 'DARK', best: 'Dark theme', why: 'capitals' },
    { query: 'telemetry', best: 'logs.all.otel', why: 'a word of the hint' },
  ])('finds $query first: $why', ({ query, best }) => {
    expect(rank(actions, query).shown[0]?.label).toBe(best);
  });

  test('finds nothing for letters that are not there, and all without a query', () => {
    expect(rank(actions, 'qqq')).toEqual({ shown: [], count: 0 });
    expect(rank(actions, ' ').shown).toEqual(actions);
  });

  test('shows no more than its limit of thousands, and says how many there are', () => {
    const many = Array.from({ length: 5000 }, (_, i) => action(`team${i % 10}.report-${i}`, 'x'.repeat(500)));
    const { shown, count } = rank(many, 'report');
    expect([shown.length, count]).toEqual([MAX_SHOWN, 5000]);
    expect(rank(many, 'report-4999').shown[0]?.label).toBe('team9.report-4999');
  });

  test('takes any query', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (query) => {
        const { shown, count } = rank(actions, query);
        expect(shown.length).toBe(count);
      }),
      { seed: 1 },
    );
  });
});

/** Storage that holds one text, up to a number of characters. */
function memory(text?: string, room = Infinity) {
  let stored = text;
  return {
    views: () => stored,
    setViews: (next: string) => {
      if (next.length > room) return false;
      stored = next;
      return true;
    },
  };
}

describe('saved views', () => {
  const view = (name: string, fragment = '#/a'): SavedView => ({ name, fragment });

  test('are listed by name, overwritten, renamed and deleted', () => {
    const views = savedViews(memory());
    for (const name of ['b', 'a ', ' c  d']) expect(views.save(view(name))).toBeUndefined();
    expect(views.list().map(({ name }) => name)).toEqual(['a', 'b', 'c d']);
    expect(views.save(view('b', '#/b?x=1'))).toBeUndefined();
    expect(views.rename('b', 'z')).toBeUndefined();
    views.remove('a');
    expect(views.list()).toEqual([view('c d'), view('z', '#/b?x=1')]);
    expect(views.rename('z', 'c d')).toBeUndefined();
    expect(views.list()).toEqual([view('c d', '#/b?x=1')]);
  });

  test.each([
    { why: 'no name', given: view('  '), fault: 'unnamed' },
    { why: 'a long name', given: view('n'.repeat(MAX_NAME + 1)), fault: 'unnamed' },
    { why: 'a long query', given: view('n', `#/${'q'.repeat(20_000)}`), fault: 'long' },
    { why: 'another URL', given: view('n', 'javascript:alert(1)'), fault: 'long' },
  ])('are rejected: $why', ({ given, fault }) => {
    const views = savedViews(memory());
    expect(views.save(given)).toBe(fault);
    expect(views.list()).toEqual([]);
  });

  test('are limited in number, and say when nothing can be stored', () => {
    const views = savedViews(memory());
    for (let i = 0; i < MAX_VIEWS; i++) expect(views.save(view(`v${i}`))).toBeUndefined();
    expect(views.save(view('one more'))).toBe('many');
    expect(views.save(view('v1', '#/b'))).toBeUndefined();
    const full = savedViews(memory('[{"name":"a","fragment":"#/a"}]', 40));
    expect(full.save(view('b'))).toBe('blocked');
    expect(full.rename('a', 'longer'.repeat(5))).toBe('blocked');
    expect(full.list()).toEqual([view('a')]);
  });

  test.each([
    '',
    '{',
    'null',
    '7',
    '"text"',
    '{"a":1}',
    '[null,1,"x",{},{"name":1,"fragment":"#/"}]',
    '[{"name":"","fragment":"#/a"},{"name":"x","fragment":"https://example.com"}]',
  ])('survive what else is in storage: %s', (text) => {
    const views = savedViews(memory(text));
    expect(views.list()).toEqual([]);
    expect(views.save(view('a'))).toBeUndefined();
    expect(views.list()).toEqual([view('a')]);
  });

  test('survive anything in storage', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const each of savedViews(memory(JSON.stringify(value))).list())
          expect(each).toEqual({ name: expect.any(String), fragment: expect.stringMatching(/^#\//) });
      }),
      { seed: 1 },
    );
  });
});

describe('an example runs unasked', () => {
  const base = { examples: [{ name: 'one' }], limits: { time: 1, rate: null }, deprecated: null };
  test.each([
    { why: 'there is one', part: {}, left: undefined, may: true },
    {
      why: 'none of the saved query',
      part: { examples: [{ name: 'one', sql: 'SELECT 1' }] },
      left: undefined,
      may: false,
    },
    { why: 'a low rate limit', part: { limits: { time: 1, rate: '5/3600s' } }, left: undefined, may: false },
    { why: 'a high rate limit', part: { limits: { time: 1, rate: '600/60s' } }, left: 600, may: true },
    {
      why: 'a budget',
      part: { limits: { time: 1, rate: null, budget: { read: '1GiB/day' } } },
      left: undefined,
      may: false,
    },
    { why: 'few requests left', part: {}, left: 3, may: false },
  ])('$may: $why', ({ part, left, may }) => {
    const endpoint = { ...base, ...part } as unknown as Endpoint; // has what the function reads
    expect(mayRunUnasked(endpoint, left)).toBe(may);
  });
});

test('all style sheets use four sizes of type', () => {
  const folder = join(import.meta.dirname, '../../explorer/src/styles');
  const sheets = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const used = sheets.flatMap((text) =>
    [...text.matchAll(/font(?:-size)?: ([^;]+);/g)].map(([, size]) => size),
  );
  const allowed = new Set<string | undefined>([
    'inherit',
    'var(--small)',
    'var(--text)',
    'var(--large)',
    'var(--title)',
    'var(--text) / 1.5 var(--sans)',
  ]);
  expect(used.length).toBeGreaterThan(50);
  expect(used.filter((size) => !allowed.has(size))).toEqual([]);
  const defined = sheets.join('\n').matchAll(/--(?:small|text|large|title): (\w+);/g);
  expect([...defined].map(([, size]) => size)).toEqual(['12px', '13px', '16px', '20px']);
});
