// Reads the rollups that a file declares, of its own kind or of another, and checks what needs no engine.
import { hash } from 'node:crypto';
import { COUNT_OF_ROWS } from '../../../guard/rollups/aggregates.ts';
import type { MeasureDefinition, RollupDefinition, RollupDimension } from '../../../guard/rollups/model.ts';
import type { Finding, PathFinding } from '../../../sql/base/finding.ts';
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import { namesOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { EndpointFile, Rollup as DeclaredRollup } from '../../config/generated/endpoint.ts';
import { locateAll } from '../../config/locate-finding.ts';
import { createSchemaCheck } from '../../config/schema.ts';
import { parseYaml, type Path, type YamlDocument } from '../../config/yaml-document.ts';
import { isRollupFile, schemaOf } from '../file-kinds.ts';
import { readMeasure } from './read-measure.ts';
import { expressionText, readExpression, rowFaults, type ExpressionFault } from './row-expression.ts';

/** A rollup as it is declared. Not guaranteed: that its source has the columns, and of which types they are. */
export interface RollupDeclaration {
  readonly rollup: RollupDefinition;
  /** Buckets are kept for so many days; undefined: forever. */
  readonly keepDays: number | undefined;
  /** Younger buckets are not covered. */
  readonly settleSeconds: number;
  readonly document: YamlDocument;
  /** It is the position in the list of its file. */
  readonly index: number;
}

export interface DeclaredRollups {
  /** Undefined if it is not known what the file declares: it has errors. */
  readonly rollups: readonly RollupDeclaration[] | undefined;
  readonly diagnostics: readonly Finding[];
}

/** The database of the tables of all rollups. */
const ROLLUPS_DATABASE = 'millrace_rollups';

/** Undefined if the name of the file is that of another kind. */
export function readRollupFile(path: string, text: string): DeclaredRollups | undefined {
  return isRollupFile(path) ? readRollupsOf(path, text) : undefined;
}

/** The rollups in the text of a file of any kind. Never throws for the contents of the file. */
export function readRollupsOf(path: string, text: string): DeclaredRollups {
  const parsed = parseYaml(path, text);
  if ('diagnostics' in parsed) return { rollups: undefined, diagnostics: parsed.diagnostics };
  const { document } = parsed;
  const invalid = createSchemaCheck(schemaOf(path))(document);
  return invalid.length > 0 ? { rollups: undefined, diagnostics: invalid } : readRollups(document);
}

/** The rollups of a document that passed the schema of its kind. */
export function readRollups(document: YamlDocument): DeclaredRollups {
  const { rollups: list } = document.value as Pick<EndpointFile, 'rollups'>; // the same in all kinds
  const declared = Array.isArray(list) ? list : [];
  const read = declared.map((each, index) => readRollup(each, { document, index }));
  const diagnostics = locateAll(
    document,
    read.flatMap(({ findings }) => findings),
  );
  const rollups = diagnostics.length > 0 ? undefined : read.map(({ declaration }) => declaration);
  return { rollups, diagnostics };
}

interface RollupReading {
  readonly declaration: RollupDeclaration;
  readonly findings: readonly PathFinding[];
}

function readRollup(
  declared: DeclaredRollup,
  place: Pick<RollupDeclaration, 'document' | 'index'>,
): RollupReading {
  const path: Path = ['rollups', place.index];
  const grains = readGrains(declared, path);
  const dimensions = readAll(declared.dimensions, [...path, 'dimensions'], readDimension);
  const measures = readAll(declared.measures, [...path, 'measures'], (given, at) => {
    const { aggregate, approximate = false } = typeof given === 'string' ? { aggregate: given } : given;
    return locate(readMeasure(aggregate, approximate), typeof given === 'string' ? at : [...at, 'aggregate']);
  });
  const [database = '', table = ''] = declared.from.split('.');
  const time = declared.time.column;
  const columns = { time, dimensions: dimensions.values, measures: withCount(measures.values) };
  const source = { database, table };
  const version = versionOf({ source, ...columns, grains: grains.values });
  const tables = grains.values.map((every, index) => ({
    every,
    database: ROLLUPS_DATABASE,
    table: `${declared.name}_${version}_${grains.names[index] ?? every}`,
  }));
  const findings = [...grains.findings, ...dimensions.findings, ...measures.findings];
  return {
    declaration: {
      ...place,
      rollup: { name: declared.name, version, source, ...columns, tables },
      keepDays: declared.keep === undefined ? undefined : seconds(declared.keep) / DAY,
      settleSeconds: seconds(declared.settle ?? '1m'),
    },
    findings: findings.length > 0 ? findings : doubles(columns, path),
  };
}

const DAY = 86_400;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: DAY };

/** Converts a text such as `15m`, of which the form the schema has checked. */
function seconds(text: string): number {
  return Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? 1);
}

function readGrains({ time: { every } }: DeclaredRollup, path: Path) {
  const names = typeof every === 'string' ? [every] : every;
  const values = names.map(seconds);
  const findings = values.flatMap((value, index): PathFinding[] => {
    const [name, next] = [names[index] ?? '', values[index + 1]];
    const at = [...path, 'time', 'every', ...(typeof every === 'string' ? [] : [index])];
    if (DAY % value !== 0)
      return [{ code: 'rollup.grain', path: at, message: `${name} does not divide a day` }];
    if (next === undefined || (next > value && next % value === 0)) return [];
    return [
      {
        code: 'rollup.grain',
        path: at,
        message: `${name} is not a part of ${names[index + 1] ?? ''}, which follows it`,
        hint: 'The finest width is the first, and each divides the next',
      },
    ];
  });
  return { names, values, findings };
}

type Read<T> = { readonly value: T } | { readonly findings: readonly PathFinding[] };

function readAll<G, T>(
  given: readonly G[],
  path: Path,
  read: (given: G, path: Path) => Read<T>,
): { readonly values: readonly T[]; readonly findings: readonly PathFinding[] } {
  const all = given.map((each, index) => read(each, [...path, index]));
  return {
    values: all.flatMap((each) => ('value' in each ? [each.value] : [])),
    findings: all.flatMap((each) => ('findings' in each ? each.findings : [])),
  };
}

function locate<T extends object>(read: T | readonly ExpressionFault[], path: Path): Read<T> {
  if (!Array.isArray(read)) return { value: read as T }; // no T is an array
  return { findings: (read as readonly ExpressionFault[]).map((fault) => ({ ...fault, path })) };
}

function readDimension(given: DeclaredRollup['dimensions'][number], at: Path): Read<RollupDimension> {
  const [[name, text] = [undefined, '']] =
    typeof given === 'string' ? [[undefined, given]] : Object.entries(given);
  const path = name === undefined ? at : [...at, name];
  const read = readExpression(text);
  if ('code' in read) return { findings: [{ ...read, path }] };
  const faults = rowFaults(read);
  if (faults.length > 0) return { findings: faults.map((fault) => ({ ...fault, path })) };
  const { tree, node } = read;
  const inner = withoutParentheses(node);
  const own = inner.kind === 'column' ? namesOf(tree, inner).join('.') : undefined;
  if (name !== undefined && own !== undefined && name !== own) return { findings: [renamed(own, path)] };
  if (name === undefined && own === undefined) {
    const message = 'an expression that is no column needs a name';
    return {
      findings: [{ code: 'rollup.dimension_unnamed', path, message, hint: `Write { name: "${text}" }` }],
    };
  }
  return { value: { name: name ?? own ?? '', expression: expressionText(read) } };
}

function renamed(column: string, path: Path): PathFinding {
  const message = `${column} is a column, which keeps its name`;
  return { code: 'rollup.dimension_renamed', path, message, hint: `Write ${column}` };
}

function withoutParentheses(node: Node): Node {
  const [inner] = node.parts;
  return node.kind === 'group' && inner !== undefined ? withoutParentheses(inner) : node;
}

function withCount(measures: readonly MeasureDefinition[]): readonly MeasureDefinition[] {
  const count = readMeasure(COUNT_OF_ROWS, false);
  const isCounted = measures.some(({ name }) => name === COUNT_OF_ROWS);
  return isCounted || !('name' in count) ? measures : [...measures, count];
}

function doubles(
  { time, dimensions, measures }: Pick<RollupDefinition, 'time' | 'dimensions' | 'measures'>,
  path: Path,
): readonly PathFinding[] {
  const seen = new Set([time]);
  const check =
    (list: string) =>
    ({ name }: { readonly name: string }, index: number): PathFinding[] => {
      const isNew = !seen.has(name);
      seen.add(name);
      if (isNew) return [];
      const message = `${name} is there already`;
      return [{ code: 'rollup.duplicate_column', path: [...path, list, index], message }];
    };
  return [...dimensions.flatMap(check('dimensions')), ...measures.flatMap(check('measures'))];
}

/** It changes when tables of the same definition are made in another way. */
const LAYOUT = 2;

/** Another definition has another version. What is no part of the tables' rows is left out. */
function versionOf(definition: object): string {
  return hash('sha256', JSON.stringify([LAYOUT, definition]), 'hex').slice(0, 8);
}
