// Has the engine analyse an endpoint's query and each table of its WITH clause, and reports errors as findings in the
// file.
import { locateAll } from '../../../service/config/locate-finding.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { EngineError, type Engine } from '../../../service/engine/engine.ts';
import { analyseQuery, type DescribeSql } from '../../../service/endpoints/analyse-query.ts';
import { variantsOf, type InspectedFile } from '../../../service/endpoints/compile.ts';
import { checkDeclared, checkEnums } from './enum-check.ts';
import { placeOfFailure } from './failure-place.ts';
import type { SampleValues } from '../../../service/endpoints/samples.ts';
import { isTooCostly, NOT_ANALYSED, notAnalysed } from '../../../service/endpoints/not-analysed.ts';
import type { TablesOnEngine } from './tables-on-engine.ts';
import { mergeFindings } from '../../../service/endpoints/variant-findings.ts';
import { declaredFinding, findingOf } from './engine-finding.ts';
import { columnFindings } from './column-findings.ts';
import { partsOf } from './query-parts.ts';

/**
 * Findings of the engine about all variants of the query; at most one per part of each, since the engine stops at the first
 * error.
 */
export async function checkOnEngine(
  engine: Engine,
  inspected: InspectedFile,
  tables: TablesOnEngine,
): Promise<readonly Finding[]> {
  const sound = new Set<string>(); // parts that variants have in common
  const all: { readonly analysis: InspectedFile['analysis']; readonly findings: readonly Finding[] }[] = [];
  for (const variant of variantsOf(inspected)) {
    const findings = await checkVariant(engine, variant, { tables, sound });
    all.push({ analysis: variant.analysis, findings });
    if (findings.some(({ code }) => code === NOT_ANALYSED)) break; // the others would cost as much
  }
  return mergeFindings(all);
}

interface VariantOptions {
  readonly tables: TablesOnEngine;
  /** The queries of parts that have no findings. */
  readonly sound: Set<string>;
}

async function checkVariant(
  engine: Engine,
  inspected: InspectedFile,
  { tables, sound }: VariantOptions,
): Promise<readonly Finding[]> {
  const { samples, limits, int64, outline } = inspected.candidate.endpoint;
  const findings = new Map<string, Finding>(); // by message: queries that read a failing table fail in the same way
  const ofColumns: Finding[] = [];
  const all = samples();
  const ask: DescribeSql = (sql, parameters) =>
    engine.describe({ sql, parameters, limits, origin: 'saved', int64 });
  let accepted: readonly SampleValues[] = [];
  for (const part of partsOf(inspected)) {
    if (hasError(findings) && part.start >= outline.mainStart) break; // it reads those tables
    if (sound.has(part.sql)) continue;
    const analysis = await analyseQuery(part.sql, [...accepted, ...all], ask).catch(costlyOnly);
    if (analysis instanceof EngineError)
      return locateAll(inspected.document, [notAnalysed(inspected, analysis, part)]);
    if (analysis.kind === 'described') {
      accepted = [analysis.values];
      ofColumns.push(...columnFindings(inspected, part, analysis.columns));
    }
    const described = analysis.kind === 'described' ? { sql: part.sql, values: analysis.values } : undefined;
    const faults =
      described === undefined ? [] : await checkDeclared(ask, described, inspected, tables.enums);
    ofColumns.push(...faults.map((fault) => declaredFinding({ inspected, part, tables }, fault)));
    const failed =
      analysis.kind === 'described'
        ? await checkEnums(ask, { sql: part.sql, values: analysis.values }, tables.enums)
        : analysis;
    if (faults.length > 0 && failed?.kind === 'value_needed') continue;
    if (failed === undefined) {
      sound.add(part.sql);
      continue;
    }
    const values = accepted[0] ?? all[0] ?? {};
    const offset = await placeOfFailure(ask, { tree: inspected.analysis.tree, part, values }, failed);
    const finding = findingOf({ inspected, part, tables }, failed, offset);
    if (!findings.has(finding.message)) findings.set(finding.message, finding);
  }
  return [...findings.values(), ...ofColumns];
}

/** The error of a statement that the engine gave up; throws any other. */
function costlyOnly(cause: unknown): EngineError {
  if (cause instanceof EngineError && isTooCostly(cause)) return cause;
  throw cause;
}

function hasError(findings: ReadonlyMap<string, Finding>): boolean {
  return [...findings.values()].some(({ severity }) => severity === 'error');
}
