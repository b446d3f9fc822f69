// Has the engine analyse an endpoint's query and each table of its WITH clause, and reports errors as findings in the
// file.
import { locateFinding, locateAll } from '../../../service/config/locate-finding.ts';
import type { Codes, Finding } from '../../../sql/base/finding.ts';
import { EngineError, type Column, type Engine } from '../../../service/engine/engine.ts';
import { engineSentence } from '../../../service/engine/engine-sentence.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import { JOIN_WORDS } from '../../../sql/clickhouse/tree/keywords.ts';
import { tokenFrom } from '../../../sql/clickhouse/tree/tokens.ts';
import { spanOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import {
  analyseQuery,
  type DescribeSql,
  type QueryAnalysis,
} from '../../../service/endpoints/analyse-query.ts';
import { variantsOf, type InspectedFile } from '../../../service/endpoints/compile.ts';
import { engineHint, misspelledKeyword, suggestionOf } from './engine-hints.ts';
import { checkDeclared, checkEnums, type DeclaredFault } from './enum-check.ts';
import { placeOfFailure, type Part } from './failure-place.ts';
import { checkLiveKey, LIVE_KEY_CODES } from '../../../service/endpoints/checks/live.ts';
import { checkPageKeys, PAGE_KEY_CODES } from '../../../service/endpoints/checks/pages.ts';
import { checkLogViews, VIEW_PATH_CODES } from '../../../service/endpoints/checks/views.ts';
import type { SampleValues } from '../../../service/endpoints/samples.ts';
import {
  isTooCostly,
  NOT_ANALYSED,
  NOT_ANALYSED_CODES,
  notAnalysed,
} from '../../../service/endpoints/not-analysed.ts';
import { namesHint } from './names-hint.ts';
import type { TablesOnEngine } from './tables-on-engine.ts';
import { mergeFindings } from '../../../service/endpoints/variant-findings.ts';
import { isTable } from '../../../sql/clickhouse/outline.ts';

export const ENGINE_CODES: Codes = {
  ...NOT_ANALYSED_CODES,
  ...PAGE_KEY_CODES,
  ...LIVE_KEY_CODES,
  ...VIEW_PATH_CODES,
  'engine.unknown_column': {
    title: 'Unknown column',
    help: 'Correct the name; the hint suggests the closest match.',
  },
  'engine.unknown_table': {
    title: 'Unknown table or database',
    help: 'Correct the name, or add the table to the schema folder.',
  },
  'engine.unknown_function': {
    title: 'Unknown function',
    help: 'Correct the name; the hint suggests the closest match.',
  },
  'engine.unknown_enum_value': {
    title: 'A string that is no value of an Enum column',
    help: 'The comparison is never true, or fails when the query runs. Correct the string; the hint suggests the closest name.',
  },
  'engine.unknown_type': {
    title: 'Unknown data type',
    help: 'Correct the name of the type.',
  },
  'engine.syntax': {
    title: 'Syntax error reported by the engine',
    help: 'Look just before this location for a missing or extra comma, operator or keyword.',
  },
  'engine.wrong_arguments': {
    title: 'Wrong function arguments',
    help: 'Check the number and types of the arguments that the function accepts.',
  },
  'engine.wrong_type': {
    title: 'Incompatible types',
    help: 'Convert one of them, or declare the parameter with another type.',
  },
  'engine.wrong_aggregate': {
    title: 'Invalid aggregation',
    help: 'Every selected column must be in GROUP BY or inside an aggregate function.',
  },
  'engine.value_needed': {
    title: 'The query cannot be analysed without suitable values',
    help: 'A function of the query accepts only some values of a parameter, and the engine tried those of the examples, the default, the enum, min and common ones. Add an example, or a default, with values that the query accepts.',
  },
  'engine.rejected': {
    title: 'The engine rejects the query',
    help: 'The message is that of the engine.',
  },
};

const CODES: ReadonlyMap<number, string> = new Map([
  [47, 'engine.unknown_column'],
  [10, 'engine.unknown_column'],
  [60, 'engine.unknown_table'],
  [81, 'engine.unknown_table'],
  [46, 'engine.unknown_function'],
  [50, 'engine.unknown_type'],
  [691, 'engine.unknown_enum_value'],
  [62, 'engine.syntax'],
  [35, 'engine.wrong_arguments'],
  [36, 'engine.wrong_arguments'],
  [42, 'engine.wrong_arguments'],
  [41, 'engine.wrong_type'],
  [43, 'engine.wrong_type'],
  [44, 'engine.wrong_type'],
  [53, 'engine.wrong_type'],
  [59, 'engine.wrong_type'],
  [386, 'engine.wrong_type'],
  [184, 'engine.wrong_aggregate'],
  [215, 'engine.wrong_aggregate'],
]);

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

/** Of the keys of pages and live calls, and of the log views of a table. */
function columnFindings(
  { document, analysis: { file } }: InspectedFile,
  { table }: Part,
  columns: readonly Column[],
): readonly Finding[] {
  const findings =
    table === undefined
      ? [...checkPageKeys(file, columns), ...checkLiveKey(file, columns)]
      : checkLogViews(file, { name: table, columns });
  return locateAll(document, findings);
}

function hasError(findings: ReadonlyMap<string, Finding>): boolean {
  return [...findings.values()].some(({ severity }) => severity === 'error');
}

function partsOf({ candidate: { endpoint } }: InspectedFile): readonly Part[] {
  const { query, outline } = endpoint;
  const { elements, withStart, withEnd, settings } = outline;
  const clause = query.slice(withStart, withEnd);
  const ofWhole = settings === undefined ? '' : `\n${query.slice(settings.start, settings.end)}`;
  const tables = elements.filter(isTable).map(({ name, start, end }) => ({
    sql: `${clause}\nSELECT * FROM ${quoteIdentifier(name)}${ofWhole}`,
    shift: withStart,
    start,
    end,
    table: name,
  }));
  return [...tables, { sql: query, shift: 0, start: outline.mainStart, end: query.length, table: undefined }];
}

type Failed = Exclude<QueryAnalysis, { readonly kind: 'described' }>;

interface FailedPart {
  readonly inspected: InspectedFile;
  readonly part: Part;
  readonly tables: TablesOnEngine;
}

function findingOf({ inspected, tables }: FailedPart, { kind, failure }: Failed, offset: number): Finding {
  const { document, analysis } = inspected;
  const isValue = kind === 'value_needed';
  const { tree } = analysis;
  const at = tokenFrom(tree, offset);
  const code = CODES.get(failure.engineCode ?? 0) ?? 'engine.rejected';
  const keyword = code === 'engine.syntax' ? misspelledKeyword(tree, at) : undefined;
  const { message } = failure;
  const ofNames = namesHint({ code, message, tree }, tables);
  const ofEngine = engineHint(message, tree, at);
  const isOurs = code === 'engine.unknown_table' || code === 'engine.unknown_function';
  const nearest = isOurs ? (ofNames ?? ofEngine) : (ofEngine ?? ofNames);
  const word = wordOf(tree, { at });
  const isJoin = code === 'engine.syntax' && (word === 'JOIN' || JOIN_WORDS.has(word));
  const hint = isValue ? valueHint(code) : (keyword?.hint ?? nearest ?? (isJoin ? JOIN_HINT : undefined));
  const place = analysis.inBound(
    keyword === undefined ? offset : spanOf(tree, { from: keyword.index, to: keyword.index + 1 }).start,
  );
  const sentence = keyword === undefined ? engineSentence(failure.message) : 'syntax error';
  return {
    file: document.file,
    ...document.locateInside(place.path, place.offset),
    severity: isValue ? 'warning' : 'error',
    code: isValue ? 'engine.value_needed' : code,
    message: isValue ? `cannot be analysed with sample values: ${sentence}` : sentence,
    ...(hint === undefined ? {} : { hint }),
  };
}

const JOIN_HINT = 'Write ON a.x = b.x, or USING x, after the table, or CROSS JOIN for all pairs of rows';

/** For a value of the declaration of a parameter. */
function declaredFinding({ inspected, tables }: FailedPart, { failure, finding }: DeclaredFault): Finding {
  const { document, analysis } = inspected;
  const { tree } = analysis;
  const code = 'engine.unknown_enum_value';
  const hint = suggestionOf(failure.message) ?? namesHint({ code, message: failure.message, tree }, tables);
  return locateFinding(document, { code, ...finding, ...(hint === undefined ? {} : { hint }) });
}

function valueHint(code: string): string {
  return code === 'engine.unknown_enum_value'
    ? 'Give the parameter that is compared with the Enum its values, as enum: […]; another value is found nowhere, or fails when the query runs'
    : 'Add an example, or a default, with values that the query accepts';
}
