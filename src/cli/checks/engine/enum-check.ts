// Values that are compared with Enum columns, which do not have them. By default, the engine compares an Enum with any string.
import type { PathFinding } from '../../../sql/base/finding.ts';
import type { EngineError } from '../../../service/engine/engine.ts';
import { tokenTexts } from '../../../sql/clickhouse/tree/lexemes.ts';
import { nameTokens, tokensOf } from '../../../sql/clickhouse/tree/tokens.ts';
import {
  rejectionOf,
  type DescribeSql,
  type QueryAnalysis,
} from '../../../service/endpoints/analyse-query.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import type { SampleValues } from '../../../service/endpoints/samples.ts';
import type { TablesOnEngine } from './tables-on-engine.ts';

type Failed = Exclude<QueryAnalysis, { readonly kind: 'described' }>;

/** A part of the query that the engine accepts with these values. */
export interface DescribedPart {
  readonly sql: string;
  readonly values: SampleValues;
}

const STRICT_PREFIX = 'SELECT * FROM (\n';
const UNKNOWN_ELEMENT_OF_ENUM = 691;

type Ask = (values: SampleValues) => Promise<EngineError | undefined>;

/** A rejection for a value in the query, or for a sample value of a parameter. Asks only for queries with Enum columns and strings. */
export async function checkEnums(
  describe: DescribeSql,
  { sql, values }: DescribedPart,
  enums: TablesOnEngine['enums'],
): Promise<Failed | undefined> {
  if (!hasEnum(sql, enums)) return undefined;
  const failure = await strictly(describe, sql)(values);
  const element = elementOf(failure);
  if (failure === undefined || element === undefined) return undefined;
  // Otherwise it is the sample value of a parameter.
  const isWritten = tokenTexts(sql, 'string').includes(`'${element}'`);
  return isWritten ? { kind: 'rejected', failure } : { kind: 'value_needed', columns: undefined, failure };
}

function hasEnum(sql: string, enums: TablesOnEngine['enums']): boolean {
  if (enums.size === 0 || !/['{]/.test(sql)) return false;
  return nameTokens(tokensOf(sql)).some(({ name }) => enums.has(name));
}

function strictly(describe: DescribeSql, sql: string): Ask {
  const strict = `${STRICT_PREFIX}${sql}\n) SETTINGS validate_enum_literals_in_operators = 1`;
  return (values) => describe(strict, values).then(() => undefined, rejectionOf);
}

function elementOf(failure: EngineError | undefined): string | undefined {
  if (failure?.engineCode !== UNKNOWN_ELEMENT_OF_ENUM) return undefined;
  return /unknown element '(.*?)' for enum/i.exec(failure.message)?.[1];
}

/** Values of a parameter's `enum` that are tried, one by one. */
const MAX_VALUES = 50;

/** A declared value of a parameter that an Enum does not have. */
export interface DeclaredFault {
  readonly failure: EngineError;
  readonly finding: Pick<PathFinding, 'path' | 'message'>;
}

/** Faults of the defaults and of the members of `enum` of the parameters that a part of the query compares with Enums. */
export async function checkDeclared(
  describe: DescribeSql,
  { sql, values }: DescribedPart,
  { analysis: { file, parameters } }: InspectedFile,
  enums: TablesOnEngine['enums'],
): Promise<readonly DeclaredFault[]> {
  if (!hasEnum(sql, enums)) return [];
  const ask = strictly(describe, sql);
  const faults: DeclaredFault[] = [];
  for (const [name, { default: standard, enum: allowed = [], choices }] of Object.entries(file.parameters ?? {})) {
    const parameter = parameters.get(name);
    if (parameter === undefined || choices !== undefined || !sql.includes(`{${name}:`)) continue;
    const declared = allowed.slice(0, MAX_VALUES).map((value, index) => [value, ['enum', index]] as const);
    for (const [value, at] of declared.length > 0 ? declared : [[standard, ['default']] as const]) {
      if (typeof value !== 'string') continue;
      const reading = parameter.read(parameter.type.kind === 'array' ? [value] : value);
      const failure = reading.kind === 'value' ? await ask({ ...values, [name]: reading.text }) : undefined;
      if (failure === undefined || elementOf(failure) !== value) continue;
      const message = `@${name} is compared with an Enum that has no value ${JSON.stringify(value)}`;
      faults.push({ failure, finding: { path: ['parameters', name, ...at], message } });
    }
  }
  return faults;
} // prettier-ignore
