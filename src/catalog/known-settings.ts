// Finds settings in a query's SETTINGS clauses that the engine does not have: it ignores them without an error.
import { didYouMean, nearest } from '../core/nearest.ts';
import type { Engine } from '../engine/engine.ts';
import { createCursor } from '../sql/cursor.ts';
import { authorOffset } from '../sql/placeholders.ts';
import type { Analysis, RuleFinding } from './analysis.ts';

/** The names of all settings of the engine. Rejects with EngineError. */
export async function readSettingNames(engine: Engine): Promise<ReadonlySet<string>> {
  const limits = { time: 10, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 24 };
  const sql = 'SELECT * FROM (SELECT name FROM system.settings)';
  const statement = { sql, parameters: {}, limits, origin: 'saved', int64: 'number' } as const;
  const { chunks } = await engine.run(statement, { format: 'JSONCompactEachRow' });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const lines = Buffer.concat(parts).toString().split('\n').slice(0, -1);
  return new Set(lines.map((line) => (JSON.parse(line) as [string])[0])); // one column of strings
}

/** A warning for each setting in a SETTINGS clause, also of a subquery, that is not in `names`. */
export function findUnknownSettings(analysis: Analysis, names: ReadonlySet<string>): readonly RuleFinding[] {
  const { sql, uses, tokens } = analysis.bound;
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
          path: ['query'],
          offset: authorOffset(uses, query.start(item)),
          message: `the engine has no setting ${name}, and ignores it`,
          hint: didYouMean(nearest(name, names)) ?? 'Remove it',
        });
      }
      if (query.kind(item + 3) !== ',') break;
    }
  }
  return findings;
}
