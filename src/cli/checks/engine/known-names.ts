// Names in an endpoint file that are not in its query: redacted columns, expected columns, tables and columns of fixtures.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import { epoch } from '../../../sql/base/clock.ts';
import type { EndpointFile, Example } from '../../../service/config/generated/endpoint.ts';
import { didYouMean, misspelled, nearest } from '../../../sql/base/nearest.ts';
import type { Column, Engine } from '../../../service/engine/engine.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import { createDescribe } from '../../../service/endpoints/describe.ts';
import { isRejectionExpected } from '../../../service/endpoints/expectation.ts';
import {
  hasPart,
  ruledColumns,
  unknownRule,
  unknownRuleText,
} from '../../../service/endpoints/unknown-rules.ts';
import type { TablesOnEngine } from './tables-on-engine.ts';

export const NAME_CODES: Codes = {
  'example.unknown_column': {
    title: 'An expected column that does not exist',
    help: 'expect.columns and the rows of expect.result name the result columns of the query.',
  },
  'pii.unknown_column': {
    title: 'A redacted column that does not exist',
    help: 'pii.columns names columns of the result, or of the tables for consumer queries, and parts of them: metadata.user.name. A misspelled name redacts nothing.',
  },
  'tenancy.unknown_name': {
    title: 'A tenancy with the name of a column or table that does not exist',
    help: 'tenancy.columns names the columns that separate tenants, tenancy.shared the tables and dictionaries with the same rows for all. A misspelled name has no effect.',
  },
  'fixture.unknown_table': {
    title: 'Fixture rows for an unknown table',
    help: 'Correct the name, or create the table in a file of the schema folder or of the fixtures.',
  },
  'fixture.unknown_column': {
    title: 'Fixture rows with an unknown column',
    help: 'Correct the name: a row has only columns of its table.',
  },
};

/** Findings for names that the engine does not know; none for columns of queries that it cannot describe. */
export async function findUnknownNames(
  engine: Engine,
  { analysis: { file }, candidate: { endpoint } }: InspectedFile,
  tables: TablesOnEngine['columns'],
): Promise<readonly PathFinding[]> {
  const examples = file.examples ?? [];
  const findings = [
    ...unknownTenancy(file.tenancy, tables),
    ...unknownFixtures(file.fixtures, ['fixtures'], tables),
    ...examples.flatMap(({ fixtures }, index) => [
      ...unknownFixtures(fixtures, ['examples', index, 'fixtures'], tables),
    ]),
  ];
  const redacted = Object.keys(file.pii?.columns ?? {});
  const expecting = examples.some(
    ({ expect }) => expect?.columns !== undefined || expect?.result !== undefined,
  );
  if (redacted.length === 0 && !expecting) return findings;
  const describe = createDescribe(engine);
  const columns = await ruledColumns(describe, endpoint);
  if (columns === undefined) return findings;
  const expected = await Promise.all(
    examples.map(async (example, index) => {
      if (isRejectionExpected(example.expect)) return [];
      const sent = Object.entries(example.parameters ?? {}).map(([name, value]) => [name, [value]] as const);
      const result = await describe.result(endpoint.variantOf(endpoint.binder.bind(new Map(sent), epoch())));
      return result === undefined ? [] : [...unknownExpected(example, index, result)];
    }),
  );
  return [...findings, ...redacted.flatMap((path) => unknownPath(path, columns)), ...expected.flat()];
}

/** Columns that no table has, and shared tables that are none but are named like one. */
function* unknownTenancy(
  tenancy: EndpointFile['tenancy'],
  tables: TablesOnEngine['columns'],
): Generator<PathFinding> {
  const stored = [...tables.values()].flatMap((each) => [...each]);
  const columns = new Set(stored.map(([column]) => column));
  const isPart = (name: string): boolean =>
    stored.some(([column, type]) => name.startsWith(`${column}.`) && hasPart(column, type, name));
  for (const [index, name] of (tenancy?.columns ?? []).entries()) {
    if (columns.size === 0 || columns.has(name) || isPart(name)) continue;
    yield {
      code: 'tenancy.unknown_name',
      severity: 'warning',
      path: ['tenancy', 'columns', index],
      message: `no table has a column ${name}`,
      ...hintOf(name, columns),
    };
  }
  for (const name of Object.keys(tenancy?.shared ?? {})) {
    const [database = '', ...rest] = name.split('.');
    const others = [...tables.keys()].filter((each) => each.startsWith(`${database}.`));
    const last = (each: string): string => each.slice(database.length + 1);
    const guess = tables.has(name) ? undefined : misspelled(rest.join('.'), others.map(last));
    if (guess === undefined) continue; // it may be a source outside of the tables, or a table that could not be created
    yield {
      code: 'tenancy.unknown_name',
      severity: 'warning',
      path: ['tenancy', 'shared', name],
      onKey: true,
      message: `there is no table or dictionary ${name}`,
      hint: `Did you mean ${database}.${guess}?`,
    };
  }
}

function* unknownFixtures(
  fixtures: Example['fixtures'],
  path: PathFinding['path'],
  tables: TablesOnEngine['columns'],
): Generator<PathFinding> {
  for (const [table, rows] of Object.entries(fixtures ?? {})) {
    const columns = tables.get(table);
    if (columns === undefined) {
      yield {
        code: 'fixture.unknown_table',
        severity: 'warning', // a file of the fixtures folder may create it
        path: [...path, table],
        onKey: true,
        message: `there is no table ${table}`,
        ...hintOf(table, tables.keys()),
      };
      continue;
    }
    const unknown = new Map(
      rows.flatMap((row, index) => Object.keys(row).map((name) => [name, index] as const)),
    );
    for (const [name, index] of unknown) {
      if (columns.has(name)) continue;
      yield {
        code: 'fixture.unknown_column',
        path: [...path, table, index, name],
        onKey: true,
        message: `${table} has no column ${name}`,
        ...hintOf(name, columns.keys()),
      };
    }
  }
}

function unknownExpected(
  { sql, lql, expect }: Example,
  index: number,
  result: readonly Column[],
): readonly PathFinding[] {
  if (sql !== undefined || lql !== undefined || expect === undefined || isRejectionExpected(expect))
    return [];
  const known = new Set(result.map(({ name }) => name));
  const inRows = (expect.result ?? []).flatMap((row, at) =>
    Object.keys(row).map((name): NamedPath => [name, ['result', at, name]]),
  );
  const listed = (expect.columns ?? []).map((name, at): NamedPath => [name, ['columns', at]]);
  const unknown = new Map([...inRows.toReversed(), ...listed].filter(([name]) => !known.has(name)));
  return [...unknown].map(([name, path]) => ({
    code: 'example.unknown_column',
    path: ['examples', index, 'expect', ...path],
    onKey: path[0] === 'result',
    message: `the query has no result column ${name}`,
    ...hintOf(name, known),
  }));
}

/** A name, and its path below `expect`. */
type NamedPath = readonly [name: string, path: PathFinding['path']];

function unknownPath(path: string, columns: readonly Column[]): readonly PathFinding[] {
  const unknown = unknownRule(path, columns);
  if (unknown === undefined) return [];
  const { at, names } = unknown;
  const candidates = names.map((name) => (at === '' ? name : `${at}.${name}`));
  return [
    {
      code: 'pii.unknown_column',
      path: ['pii', 'columns', path],
      onKey: true,
      message: unknownRuleText(path, unknown),
      ...(at === '' ? rootHint(path, names) : hintOf(path, candidates)),
    },
  ];
}

/** The nearest column, with the rest of the path. */
function rootHint(path: string, columns: readonly string[]): { readonly hint?: string } {
  const whole = hintOf(path, columns);
  const [root = '', ...rest] = path.split('.');
  const guess = rest.length === 0 ? undefined : nearest(root, columns);
  return whole.hint !== undefined || guess === undefined
    ? whole
    : { hint: `Did you mean ${[guess, ...rest].join('.')}?` };
}

function hintOf(name: string, known: Iterable<string>): { readonly hint?: string } {
  const hint = didYouMean(nearest(name, known));
  return hint === undefined ? {} : { hint };
}
