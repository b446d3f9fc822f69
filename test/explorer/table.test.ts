// What the explorer renders of wide tables, large nested values and hidden characters.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeOf, escapedJson, visibleText } from '../../explorer/src/parts/hidden-characters.ts';
import { columnLayout, EXPAND_WIDTH, visibleColumns } from '../../explorer/src/result/column-window.ts';
import { childrenOf, openAtFirst } from '../../explorer/src/result/tree.ts';
import type { Json } from '../../explorer/src/service/json.ts';
import { anyCharacter } from '../support/any-character.ts';

describe('visible columns', () => {
  const layout = (widths: readonly number[]) =>
    columnLayout(widths.map((width, i) => ({ name: `c${i}`, isNumeric: false, nullText: 'null', width })));

  test('cover what is in view, and are few of many', () => {
    const widths = fc.array(fc.integer({ min: 8, max: 42 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(widths, fc.nat(60_000), fc.integer({ min: 280, max: 2000 }), (columns, left, width) => {
        const { edges } = layout(columns);
        const total = edges.at(-1) ?? 0;
        const view = { left: Math.min(left, total), width };
        const { first, end, template } = visibleColumns({ edges, pinned: 0 }, view);
        expect(end - first).toBeGreaterThan(0);
        expect((end - first - 4) * 83).toBeLessThan(width + 400);
        expect(edges[first]).toBeLessThanOrEqual(Math.max(EXPAND_WIDTH, view.left));
        expect(edges[end]).toBeGreaterThanOrEqual(Math.min(total, view.left + width));
        const pixels = [...template.matchAll(/(\d+)px/g)].reduce((sum, [, each]) => sum + Number(each), 0);
        expect(pixels).toBe(edges[end]);
      }),
      { seed: 1 },
    );
  });
});

describe('a tree', () => {
  test('opens small values whole, and of large ones only a few nodes', () => {
    const leaf = { a: 1 };
    const small = { request: { headers: [leaf] } };
    expect(openAtFirst(small)).toEqual(new Set<Json>([small, small.request, small.request.headers, leaf]));
    const large = Array.from({ length: 1000 }, () => Array.from({ length: 1000 }, () => ({ x: 1 })));
    const open = openAtFirst(large);
    const rendered = [...open].reduce<number>(
      (sum, each) => sum + childrenOf(each as typeof large, 100).length,
      0,
    ); // only nested values are open
    expect(rendered).toBeLessThanOrEqual(250);
  });

  test('has its children in order, in slices', () => {
    expect(childrenOf([5, 6, 7], 2)).toEqual([
      ['0', 5],
      ['1', 6],
    ]);
    expect(childrenOf({ b: 1, a: 2 }, 2)).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
  });
});

describe('hidden characters', () => {
  test.each(['\u202e', '\u2066', '\u200f', '\u061c', '\u200b', '\ufeff', '\u0000', '\u001b', '\u0085'])(
    'are written out',
    (character) => {
      expect(visibleText(`a${character}b`)).toBe(`a⟨${codeOf(character)}⟩b`);
    },
  );

  test.each(['plain', 'línea\tdos\n', '👩‍👩‍👧', 'שלום'])('are not seen where there are none: %s', (text) => {
    expect(visibleText(text)).toBe(text);
  });

  test('are escapes in JSON, with the same value', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const value = { key: `\u202e${text}\u2069` };
        const escaped = escapedJson(JSON.stringify(value));
        expect(JSON.parse(escaped)).toEqual(value);
        expect(escaped).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      }),
      { seed: 1 },
    );
  });
});
