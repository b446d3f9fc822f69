// The checks of a file that decide whether it is served.
import type { PathFinding } from '../../../sql/base/finding.ts';
import type { Analysis } from '../analysis.ts';
import { overVariants } from '../variant-findings.ts';
import { CAPACITY_CHECKS } from './capacity.ts';
import { runChecks, type CheckContext, type FileChecks } from './check.ts';
import { CONFINEMENT_CHECKS } from './confinement.ts';
import { EXAMPLE_CHECKS } from './examples.ts';
import { PARAMETER_CHECKS } from './parameters.ts';
import { QUERY_CHECKS } from './query.ts';
import { RESPONSE_CHECKS } from './responses.ts';
import { VARIANT_CHECKS } from './variants.ts';
import { VERSION_CHECKS } from './versions.ts';

export const FILE_CHECKS: FileChecks = {
  ...PARAMETER_CHECKS,
  ...QUERY_CHECKS,
  ...VARIANT_CHECKS,
  ...VERSION_CHECKS,
  ...RESPONSE_CHECKS,
  ...CAPACITY_CHECKS,
  ...CONFINEMENT_CHECKS,
  ...EXAMPLE_CHECKS,
};

const ALL = Object.entries(FILE_CHECKS);
const OF_QUERY = ALL.filter(([, { perVariant }]) => perVariant);
const OF_FILE = ALL.filter(([, { perVariant }]) => !perVariant);
const OF_FILE_WITHOUT_WATCH = OF_FILE.filter(([, { about }]) => about === undefined);
const OF_SHARED = OF_FILE.filter(([, { inShared }]) => inShared);

/** The findings of the checks of the query, and of those of the file that apply to its kind. */
export function checkFile(
  analysis: Analysis,
  context: CheckContext,
  isShared: boolean,
): readonly PathFinding[] {
  return [
    ...overVariants(analysis, (variant) => runChecks(OF_QUERY, variant, context)),
    ...runChecks(isShared ? OF_SHARED : checksOfFile(analysis), analysis, context),
  ];
}

function checksOfFile({ file }: Analysis): typeof OF_FILE {
  return file.watch === undefined ? OF_FILE_WITHOUT_WATCH : OF_FILE;
}
