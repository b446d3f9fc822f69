// Names with many dots are rejected before every path in them is looked up.
import { expect, test } from 'vitest';
import { lexConsumerQuery } from '../../../src/guard/sandbox/lexed-query.ts';

test.each([
  ['a path', 'a.'.repeat(101)],
  ['a longer path', `a${'.b'.repeat(3900)}`],
  ['a quoted name', `\`${'.'.repeat(60_000)}\``],
])('%s', (_name, name) => {
  expect(() => lexConsumerQuery(`SELECT ${name}`)).toThrow(
    expect.objectContaining({ code: 'sandbox.too_large' }),
  );
});

test('other names are read', () => {
  expect(
    lexConsumerQuery(`SELECT a${'.b'.repeat(100)}, ${'c.d, '.repeat(200)}e`).cursor.length,
  ).toBeGreaterThan(1);
});
