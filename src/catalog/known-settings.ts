// Finds settings in a query's SETTINGS clauses that the engine does not have: it ignores them without an error.
import { nearest } from '../core/nearest.ts';
import type { Engine } from '../engine/engine.ts';
import { isSignificant, tokenize } from '../sql/lexer.ts';
import { identifierName } from '../sql/literal.ts';
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
  const { sql, uses } = analysis.bound;
  const tokens = tokenize(sql).filter(isSignificant);
  const textAt = (index: number): string => sql.slice(tokens[index]?.start, tokens[index]?.end);
  const findings: RuleFinding[] = [];
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at]?.kind !== 'word' || textAt(at).toUpperCase() !== 'SETTINGS') continue;
    for (let item = at + 1; tokens[item + 1]?.kind === '='; item += 4) {
      const name = identifierName(textAt(item)) ?? '';
      if (!names.has(name)) {
        const guess = nearest(name, names);
        findings.push({
          code: 'engine.unknown_setting',
          severity: 'warning',
          path: ['query'],
          offset: authorOffset(uses, tokens[item]?.start ?? 0),
          message: `the engine has no setting ${name}, and ignores it`,
          hint: guess === undefined ? 'Remove it' : `Did you mean ${guess}?`,
        });
      }
      if (tokens[item + 3]?.kind !== ',') break;
    }
  }
  return findings;
}
