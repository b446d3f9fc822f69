// Default sizes fit into the memory of the container.
import { totalmem } from 'node:os';
import { expect, test } from 'vitest';
import { availableMemory, defaultSizes } from '../../../src/service/config/memory.ts';

const MIB = 2 ** 20;

test('what is available is at most what the machine has', () => {
  expect(availableMemory()).toBeGreaterThan(0);
  expect(availableMemory()).toBeLessThanOrEqual(totalmem());
});

test.each([256, 512, 1024, 4096, 16_384, 262_144])('of %i MiB, some is left', (mebibytes) => {
  const { memory, cacheMemory, sendMemory } = defaultSizes(mebibytes * MIB);
  expect(memory + cacheMemory + sendMemory).toBeLessThanOrEqual(mebibytes * MIB * 0.75);
});

test('a large machine has the documented sizes', () => {
  const sizes = defaultSizes(16_384 * MIB);
  expect(sizes).toEqual({ memory: 8192 * MIB, cacheMemory: 256 * MIB, sendMemory: 512 * MIB });
});
