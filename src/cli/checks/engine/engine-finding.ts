// Turns what the engine rejects into a finding at its location in the file.
import { locateFinding } from '../../../service/config/locate-finding.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { engineSentence } from '../../../service/engine/engine-sentence.ts';
import { JOIN_WORDS } from '../../../sql/clickhouse/tree/keywords.ts';
import { tokenFrom } from '../../../sql/clickhouse/tree/tokens.ts';
import { spanOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { QueryAnalysis } from '../../../service/endpoints/analyse-query.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import { engineHint, misspelledKeyword, suggestionOf } from './engine-hints.ts';
import type { DeclaredFault } from './enum-check.ts';
import type { Part } from './failure-place.ts';
import { namesHint } from './names-hint.ts';
import type { TablesOnEngine } from './tables-on-engine.ts';

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
  [20, 'engine.wrong_arguments'],
  [53, 'engine.wrong_type'],
  [59, 'engine.wrong_type'],
  [386, 'engine.wrong_type'],
  [184, 'engine.wrong_aggregate'],
  [215, 'engine.wrong_aggregate'],
]);

type Failed = Exclude<QueryAnalysis, { readonly kind: 'described' }>;

interface FailedPart {
  readonly inspected: InspectedFile;
  readonly part: Part;
  readonly tables: TablesOnEngine;
}

export function findingOf(
  { inspected, tables }: FailedPart,
  { kind, failure }: Failed,
  offset: number,
): Finding {
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

/** Returns the finding for a value in the declaration of a parameter. */
export function declaredFinding(
  { inspected, tables }: FailedPart,
  { failure, finding }: DeclaredFault,
): Finding {
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
