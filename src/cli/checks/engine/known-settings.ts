// Finds settings in a query's SETTINGS clauses that the engine does not have: it ignores them without an error.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import { nodesOf, nameOf, spanOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { Analysis } from '../../../service/endpoints/analysis.ts';
import { overVariants } from '../../../service/endpoints/variant-findings.ts';

export const SETTING_CODES: Codes = {
  'engine.unknown_setting': {
    title: 'Unknown setting',
    help: 'The engine ignores settings that it does not have, so the query runs without the one that is meant. Correct the name, or remove it.',
  },
};

/** The names of all settings of the engine. Rejects with EngineError. */
export async function readSettingNames(engine: Engine): Promise<ReadonlySet<string>> {
  const rows = await readRows(engine, 'SELECT * FROM (SELECT name FROM system.settings)');
  return new Set((rows as readonly [string][]).map(([name]) => name)); // one column of strings
}

/** A warning for each setting in a SETTINGS clause, also of a subquery, that is not in `names`. */
export function findUnknownSettings(analysis: Analysis, names: ReadonlySet<string>): readonly PathFinding[] {
  return overVariants(analysis, (variant) => unknownSettingsIn(variant, names));
}

function unknownSettingsIn(analysis: Analysis, names: ReadonlySet<string>): readonly PathFinding[] {
  const { tree } = analysis;
  return nodesOf(tree.root, 'setting').flatMap((setting): readonly PathFinding[] => {
    const name = nameOf(tree, setting);
    if (names.has(name)) return [];
    return [
      {
        code: 'engine.unknown_setting',
        severity: 'warning',
        ...analysis.inBound(spanOf(tree, setting).start),
        message: `the engine has no setting ${name}, and ignores it`,
        hint: didYouMean(nearest(name, names)) ?? 'Remove it',
      },
    ];
  });
}
