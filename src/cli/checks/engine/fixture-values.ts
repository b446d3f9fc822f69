// Values of fixtures that their columns do not accept, each at its place: the engine reads them as `millrace test` loads them.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import { EngineError, type Engine } from '../../../service/engine/engine.ts';
import { engineSentence } from '../../../service/engine/engine-sentence.ts';
import { readRows } from '../../../service/engine/rows.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { quoteIdentifier, quoteString } from '../../../sql/clickhouse/literal.ts';
import { hasState } from '../../../sql/types/traits.ts';
import { parseType, typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import { enumValues, type TablesOnEngine } from './tables-on-engine.ts';
import { READING } from '../../../service/loading/read-file.ts';

export const FIXTURE_CODES: Codes = {
  'fixture.rejected': {
    title: 'The engine rejects a fixture',
    help: 'The message is that of the engine; the location is that of the row if the engine reports it.',
  },
};

type FixtureRow = Readonly<Record<string, unknown>>;
type Fixtures = Readonly<Record<string, readonly FixtureRow[]>> | undefined;

/** Values of one file are looked for one by one, up to so many. */
const MAX_VALUES = 200;
const LIMITS = { time: 10, memory: 2 ** 29, readRows: 0, resultBytes: 2 ** 26 };

/** Findings for the fixtures of a file and of its examples, whose tables and columns are known. Rejects with EngineError. */
export async function findRejectedFixtures(
  engine: Engine,
  { analysis: { file } }: InspectedFile,
  tables: TablesOnEngine['columns'],
): Promise<readonly PathFinding[]> {
  const all: readonly (readonly [fixtures: Fixtures, path: PathFinding['path']])[] = [
    [file.fixtures, ['fixtures']],
    ...(file.examples ?? []).map(
      ({ fixtures }, index) => [fixtures, ['examples', index, 'fixtures']] as const,
    ),
  ];
  const findings: PathFinding[] = [];
  for (const [fixtures, path] of all)
    for (const [table, rows] of Object.entries(fixtures ?? {}))
      findings.push(
        ...(await rejectedIn(engine, rows, { columns: tables.get(table), path: [...path, table] })),
      );
  return findings;
}

interface FixturePlace {
  readonly columns: ReadonlyMap<string, string> | undefined;
  readonly path: PathFinding['path'];
}

async function rejectedIn(
  engine: Engine,
  rows: readonly FixtureRow[],
  { columns, path }: FixturePlace,
): Promise<readonly PathFinding[]> {
  const types = new Map([...(columns ?? [])].filter(([, type]) => !hasState(parseType(type))));
  const known = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => types.has(name))));
  // The engine leaves out members of a tuple that it does not have.
  const findings = known.flatMap((row, index) => Object.entries(row).flatMap(([name, value]) => partFinding(name, unknownPart(parseType(types.get(name) ?? ''), value, [...path, index, name]))));
  if (findings.length > 0 || (await rejectionOf(engine, known, types)) === undefined) return findings;
  let left = MAX_VALUES;
  for (const [index, row] of known.entries())
    for (const [name, value] of Object.entries(row)) {
      if (left-- <= 0) return findings;
      const message = await rejectionOf(engine, [{ [name]: value }], types);
      if (message !== undefined) findings.push(findingOf(message, { name, value, type: types.get(name) ?? '', path: [...path, index, name] }));
    }
  return findings;
} // prettier-ignore

/** What the engine says if it does not read the rows. */
async function rejectionOf(
  engine: Engine,
  rows: readonly FixtureRow[],
  types: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) return undefined;
  const structure = names.map((name) => `${quoteIdentifier(name)} ${types.get(name) ?? ''}`).join(', ');
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  const sql = `SELECT count() FROM format(JSONEachRow, ${quoteString(structure)}, ${quoteString(text)}) WHERE NOT ignore(*) SETTINGS ${READING}`;
  try {
    await readRows(engine, sql, { limits: LIMITS });
    return undefined;
  } catch (error) {
    if (!(error instanceof EngineError) || error.failure !== 'rejected') throw error;
    return engineSentence(error.message);
  }
}

interface RejectedValue {
  readonly name: string;
  readonly value: unknown;
  readonly type: string;
  readonly path: PathFinding['path'];
}

function partFinding(column: string, unknown: UnknownPart | undefined): readonly PathFinding[] {
  if (unknown === undefined) return [];
  const { path, part, names } = unknown;
  return [{ code: 'fixture.unknown_column', path, onKey: true, message: `${column} has no part ${part}`, ...hintOf(part, names) }]; // prettier-ignore
}

function findingOf(message: string, { name, value, type, path }: RejectedValue): PathFinding {
  const values = enumValues(type);
  const shown = JSON.stringify(value)?.slice(0, 60);
  return {
    code: 'fixture.rejected',
    path,
    message: `${name} is ${type.slice(0, 100)}, which ${shown} is not: ${message}`,
    ...(typeof value === 'string' && values.length > 0 ? hintOf(value, values) : {}),
  };
}

function hintOf(written: string, names: readonly string[]): { readonly hint: string } {
  return { hint: didYouMean(nearest(written, names)) ?? `Allowed here: ${names.slice(0, 20).join(', ')}` };
}

interface UnknownPart {
  readonly path: PathFinding['path'];
  readonly part: string;
  readonly names: readonly string[];
}

/** The first key of a value that is no element of the tuple there. */
function unknownPart(
  type: ClickHouseType,
  value: unknown,
  path: PathFinding['path'],
): UnknownPart | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const inner = typeArguments(type);
  if (Array.isArray(value)) {
    const element = type.name === 'Nested' ? { ...type, name: 'Tuple' } : inner[0]?.type;
    const found = element && value.map((each, index) => unknownPart(element, each, [...path, index]));
    return found?.find((each) => each !== undefined);
  }
  if (type.name === 'Nullable' && inner[0] !== undefined) return unknownPart(inner[0].type, value, path);
  const names = inner.flatMap(({ name }) => name ?? []);
  if (type.name !== 'Tuple' || names.length === 0) return undefined;
  for (const [key, each] of Object.entries(value)) {
    const element = inner.find(({ name }) => name === key)?.type;
    if (element === undefined) return { path: [...path, key], part: key, names };
    const found = unknownPart(element, each, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
