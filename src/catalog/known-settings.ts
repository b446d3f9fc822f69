// Finds settings in a query's SETTINGS clauses that the engine does not have: it ignores them without an error.
import { didYouMean, nearest } from '../core/nearest.ts';
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { createCursor } from '../sql/cursor.ts';
import type { Analysis, RuleFinding } from './analysis.ts';
import { overVariants } from './variant-findings.ts';

/** The names of all settings of the engine. Rejects with EngineError. */
export async function readSettingNames(engine: Engine): Promise<ReadonlySet<string>> {
  const rows = await readRows(engine, 'SELECT * FROM (SELECT name FROM system.settings)');
  return new Set((rows as readonly [string][]).map(([name]) => name)); // one column of strings
}

/** A warning for each setting in a SETTINGS clause, also of a subquery, that is not in `names`. */
export function findUnknownSettings(analysis: Analysis, names: ReadonlySet<string>): readonly RuleFinding[] {
  return overVariants(analysis, (variant) => unknownSettingsIn(variant, names));
}

function unknownSettingsIn(analysis: Analysis, names: ReadonlySet<string>): readonly RuleFinding[] {
  const { sql, tokens } = analysis.bound;
  const query = createCursor(sql, tokens);
  const findings: RuleFinding[] = [];
  for (let at = 0; at < query.length; at++) {
    if (query.word(at) !== 'SETTINGS') continue;
    for (let item = at + 1; query.kind(item + 1) === '='; item += 4) {
      const name = query.name(item) ?? '';
      if (!names.has(name)) {
        findings.push({
          code: 'engine.unknown_setting',
          severity: 'warning',
          ...analysis.inBound(query.start(item)),
          message: `the engine has no setting ${name}, and ignores it`,
          hint: didYouMean(nearest(name, names)) ?? 'Remove it',
        });
      }
      if (query.kind(item + 3) !== ',') break;
    }
  }
  return findings;
}
