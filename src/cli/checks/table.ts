// The table of checks: every code that commands report about endpoint files, by what finding it needs.
import { PAIR_CHECKS } from '../compare/pair-checks.ts';
import { VARIANT_CHECKS } from '../compare/variant-checks.ts';
import type { Codes } from '../../sql/base/finding.ts';
import { COST_CODES } from '../cost/cost-codes.ts';
import { TABLE_CODES } from '../schema/findings.ts';
import { OUTSIDE_TABLE_CODES } from '../schema/outside.ts';
import { ROLLUP_ENGINE_CODES } from './engine/rollups.ts';
import { ENGINE_CHECKS } from './engine/engine-checks.ts';
import { CHECKS_OF_FILES } from './file.ts';
import { CHECKS_OF_FOLDERS } from './folder.ts';
import { TEST_CODES } from './test-codes.ts';

/** The definitions of tables, and runs of examples, have findings that no check of an endpoint file reports. */
const OTHERS = [
  { needs: 'engine', codes: { ...TABLE_CODES, ...OUTSIDE_TABLE_CODES } },
  { needs: 'engine', codes: TEST_CODES },
  { needs: 'engine', codes: ROLLUP_ENGINE_CODES },
  { needs: 'engine', codes: COST_CODES },
] as const;

const CHECKS = [
  ...CHECKS_OF_FILES,
  ...CHECKS_OF_FOLDERS,
  ...ENGINE_CHECKS,
  ...OTHERS,
  ...PAIR_CHECKS,
  ...VARIANT_CHECKS,
];

/** All codes but those of changes; docs/reference/findings.md is generated from them. */
export const FINDING_CODES: Codes = Object.fromEntries(
  CHECKS.flatMap(({ needs, codes }) => (needs === 'pair' ? [] : Object.entries(codes))),
);
