// Which rows were there before, by the names of parts.
import { expect, test } from 'vitest';
import { comparePartsOf, type SeenParts } from '../../../src/service/rollups/parts.ts';

const BEFORE: SeenParts = { all_1_1_0: 10, all_2_2_0: 5, all_3_6_1: 20 };

test.each<{ why: string; now: SeenParts; lost?: string[]; unseen?: string[] }>([
  { why: 'nothing happened', now: BEFORE },
  { why: 'merged', now: { all_1_6_2: 35 } },
  { why: 'merged in part', now: { all_1_2_1: 15, all_3_6_1: 20 } },
  { why: 'mutated', now: { all_1_1_0_7: 10, all_2_2_0_7: 5, all_3_6_1_7: 20 } },
  { why: 'inserted', now: { ...BEFORE, all_7_7_0: 1 }, unseen: ['all_7_7_0'] },
  { why: 'inserted into another partition', now: { ...BEFORE, x_1_1_0: 1 }, unseen: ['x_1_1_0'] },
  { why: 'an empty part', now: { ...BEFORE, all_7_7_0: 0 } },
  { why: 'merged with inserted rows', now: { all_1_7_2: 36 }, unseen: ['all_1_7_2'] },
  {
    why: 'as many are lost as come in one merge',
    now: { all_1_2_1: 15, all_3_7_2: 20 },
    unseen: ['all_3_7_2'],
  },
  { why: 'fewer after a merge', now: { all_1_6_2: 34 }, lost: ['all'], unseen: ['all_1_6_2'] },
  { why: 'a part is gone', now: { all_1_1_0: 10, all_3_6_1: 20 }, lost: ['all'] },
  { why: 'the first part is gone', now: { all_2_2_0: 5, all_3_6_1: 20 }, lost: ['all'] },
  { why: 'the last part is gone', now: { all_1_1_0: 10, all_2_2_0: 5 }, lost: ['all'] },
  { why: 'all are gone', now: {}, lost: ['all'] },
  { why: 'replaced by as many', now: { all_8_8_0: 35 }, lost: ['all'], unseen: ['all_8_8_0'] },
  {
    why: 'fewer in a part of the same name',
    now: { ...BEFORE, all_2_2_0: 4 },
    lost: ['all'],
    unseen: ['all_2_2_0'],
  },
  { why: 'more in a part of the same name', now: { ...BEFORE, all_2_2_0: 6 }, unseen: ['all_2_2_0'] },
  { why: 'a name of another form', now: { ...BEFORE, other: 3 }, unseen: ['other'] },
])('$why', ({ now, lost = [], unseen = [] }) => {
  const found = comparePartsOf(BEFORE, now);
  expect({ lost: [...found.lost], unseen: found.unseen }).toEqual({ lost, unseen });
});

test('parts of several partitions whose merges leave out blocks', () => {
  const before = { a_1_1_0: 3, a_5_5_0: 4, b_2_2_0: 1 };
  const now = { a_1_5_1: 7, b_2_2_0: 1 };
  expect(comparePartsOf(before, now)).toEqual({ lost: new Set(), unseen: ['a_1_5_1'] });
});
