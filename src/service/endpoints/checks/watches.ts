// Checks of watches: those of the file, and those of the columns that the engine reports.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import { readCondition } from '../../../sql/condition/condition.ts';
import { outcomeOf, type ConditionOutcome } from '../../../sql/condition/outcomes.ts';
import { readTemplate } from '../../../sql/condition/message.ts';
import { holdsNull, integerOf, isFloat, plainTypeOf } from '../../../sql/types/traits.ts';
import { parseType, type ClickHouseType } from '../../../sql/types/type.ts';
import { durationMs, durationText } from '../../config/duration.ts';
import type { EndpointFile, Watch } from '../../config/generated/endpoint.ts';
import type { Column } from '../../engine/engine.ts';
import { DEFAULT_WATCH, watchesIn, type DeclaredWatch } from '../watches.ts';
import type { FileChecks } from './check.ts';
import { unknownColumn } from './pages.ts';

export const WATCH_COLUMN_CODES: Codes = {
  'watch.unknown_column': {
    title: 'A watch names a column that the result does not have',
    help: 'when, group_by and message name columns that the query selects, by the names that they have in the result.',
  },
  'watch.column_type': {
    title: 'A watch compares a column of a type that it cannot compare',
    help: 'Conditions compare numbers, truth values and strings. Compare times, arrays and JSON in the query, and select the result of the comparison.',
  },
};

const LEAST_EVERY = 10_000;

const SAYS: Readonly<Record<Exclude<ConditionOutcome, 'varies'>, string>> = {
  never: 'the condition is true for no row: the watch never sends a message',
  always: 'the condition is true for every row: the watch sends a message as soon as there is one',
};

/** A watch of the file, and what its texts say. */
function* eachWatch(file: EndpointFile) {
  for (const declared of watchesIn(file)) yield { ...declared, read: readCondition(declared.watch.when) };
}

export const WATCH_CHECKS: FileChecks = {
  'watch.condition': {
    about: 'watch',
    title: 'The condition of a watch cannot be read',
    help: 'Write comparisons of columns with AND, OR, NOT, IN, BETWEEN and IS NULL. Functions, parameters and subqueries belong in the query.',
    *check({ file }) {
      for (const { path, read } of eachWatch(file)) {
        if (read.kind !== 'fault') continue;
        const { start, message, hint } = read.fault;
        yield { path: [...path, 'when'], offset: start, message, ...(hint === undefined ? {} : { hint }) };
      }
    },
  },
  'watch.constant': {
    about: 'watch',
    title: 'A watch that never sends a message, or always does',
    help: 'The condition has the same value for every row. Compare a column with another value.',
    severity: 'warning',
    *check({ file }) {
      for (const { path, read } of eachWatch(file)) {
        if (read.kind === 'fault') continue;
        const outcome = outcomeOf(read.condition, () => undefined);
        if (outcome !== 'varies') yield { path: [...path, 'when'], message: SAYS[outcome] };
      }
    },
  },
  'watch.duplicate_name': {
    about: 'watch',
    title: 'Two watches of an endpoint have one name',
    help: 'Give each watch of a list a name of its own: it identifies the state of the watch.',
    *check({ file }) {
      const names = new Set<string>();
      for (const { watch, path } of watchesIn(file)) {
        const { name = DEFAULT_WATCH } = watch;
        if (names.has(name))
          yield { path: watch.name === undefined ? path : [...path, 'name'], message: `another watch has the name ${name}` }; // prettier-ignore
        names.add(name);
      }
    },
  },
  'watch.too_often': {
    about: 'watch',
    title: 'A watch looks too often',
    help: 'every is at least 10s.',
    *check({ file }) {
      for (const { watch, path } of watchesIn(file))
        if (durationMs(watch.every) < LEAST_EVERY)
          yield { path: [...path, 'every'], message: `every is at least ${durationText(LEAST_EVERY)}` };
    },
  },
  'watch.unknown_parameter': {
    about: 'watch',
    title: 'A watch sends a parameter that the endpoint does not have',
    help: 'params are parameters of the endpoint. Consumer queries are not available in a watch.',
    *check({ file, parameters }, { guess }) {
      for (const { watch, path } of watchesIn(file))
        for (const name of Object.keys(watch.params ?? {})) {
          if (parameters.has(name)) continue;
          const near = guess(name, parameters.keys());
          yield {
            path: [...path, 'params', name],
            onKey: true,
            message: `the endpoint has no parameter ${name}`,
            ...(near === undefined ? {} : { hint: `Did you mean ${near}?` }),
          };
        }
    },
  },
  'watch.pages': {
    about: 'watch',
    title: 'A watch of an endpoint with pages',
    help: 'A watch would read the first page only. Move the watch to an endpoint whose query counts what matters.',
    *check({ file }) {
      if (file.page === undefined) return;
      for (const { path } of watchesIn(file))
        yield { path, message: 'a watch would read the first page only' };
    },
  },
};

/** How values of a type are compared; undefined: not at all. */
type Comparable = 'number' | 'string' | undefined;

const TEXTS: ReadonlySet<string> = new Set([
  'String',
  'FixedString',
  'UUID',
  'Enum8',
  'Enum16',
  'IPv4',
  'IPv6',
]);

function comparable(type: ClickHouseType): Comparable {
  if (type.name === 'Bool' || isFloat(type)) return 'number';
  const integer = integerOf(type);
  if (integer !== undefined) return 'number';
  return TEXTS.has(type.name) ? 'string' : undefined;
}

/** What is wrong with the columns that watches name, once those of the result are known. */
export function checkWatchColumns(file: EndpointFile, columns: readonly Column[]): readonly PathFinding[] {
  return watchesIn(file).flatMap((each) => [
    ...unknownNames(each, columns),
    ...wrongTypes(each, columns, file.int64 === 'string'),
  ]);
}

function unknownNames({ watch, path }: DeclaredWatch, columns: readonly Column[]): readonly PathFinding[] {
  const known = new Set(columns.map(({ name }) => name));
  const at = (where: readonly (string | number)[], name: string, offset?: number): readonly PathFinding[] =>
    known.has(name)
      ? []
      : [
          {
            code: 'watch.unknown_column',
            path: [...path, ...where],
            ...unknownColumn(name, columns),
            ...(offset === undefined ? {} : { offset }),
          },
        ];
  const read = readCondition(watch.when);
  const named = read.kind === 'fault' ? [] : read.condition.columns;
  const inMessage = watch.message === undefined ? [] : readTemplate(watch.message).columns;
  return [
    ...named.flatMap(({ name, start }) => at(['when'], name, start)),
    ...(watch.group_by ?? []).flatMap((name, index) => at(['group_by', index], name)),
    ...inMessage.flatMap(({ name, start }) => at(['message'], name, start)),
  ];
}

function wrongTypes(
  { watch, path }: DeclaredWatch,
  columns: readonly Column[],
  isText64: boolean,
): readonly PathFinding[] {
  const read = readCondition(watch.when);
  if (read.kind === 'fault') return [];
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const { bounds } = read.condition;
  const found: PathFinding[] = [];
  for (const { name, start, isTested } of read.condition.columns) {
    const type = types.get(name);
    if (type === undefined || isTested === true) continue;
    const kind = comparable(plainTypeOf(type));
    const other = bounds.find((bound) => bound.column === name && typeof bound.value !== kind);
    const problem = problemOf(plainTypeOf(type), { kind, isText64, isCompared: bounds.some(({ column }) => column === name), value: other?.value }); // prettier-ignore
    if (problem !== undefined)
      found.push({
        code: 'watch.column_type',
        path: [...path, 'when'],
        offset: start,
        message: `${name} is ${type}, ${problem}`,
      });
  }
  return found.length > 0 ? found : constantByType(watch, path, types);
}

interface Compared {
  readonly kind: Comparable;
  readonly isText64: boolean;
  readonly isCompared: boolean;
  /** A value of another kind that it is compared with. */
  readonly value: number | string | undefined;
}

function problemOf(
  type: ClickHouseType,
  { kind, isText64, isCompared, value }: Compared,
): string | undefined {
  const bits = integerOf(type)?.bits ?? 0;
  if (isText64 && bits >= 64)
    return 'which int64: string writes as a string: convert it, such as with toFloat64';
  if (type.name.startsWith('Decimal'))
    return 'which numbers of JSON round: convert it, such as with toFloat64';
  if (kind === undefined && isCompared) return 'which a condition cannot compare';
  if (value === undefined || kind === undefined) return undefined;
  return `and is compared with a ${typeof value}`;
}

/** A condition may be constant for the values that the types have. */
function constantByType(
  { when }: Watch,
  path: DeclaredWatch['path'],
  types: ReadonlyMap<string, string>,
): readonly PathFinding[] {
  const read = readCondition(when);
  if (read.kind === 'fault' || outcomeOf(read.condition, () => undefined) !== 'varies') return [];
  const outcome = outcomeOf(read.condition, (name) => {
    const type = types.get(name);
    if (type === undefined) return undefined;
    return {
      isUnsigned: integerOf(plainTypeOf(type))?.isSigned === false,
      isNullable: holdsNull(parseType(type)),
    };
  });
  if (outcome === 'varies') return [];
  return [{ code: 'watch.constant', severity: 'warning', path: [...path, 'when'], message: SAYS[outcome] }];
}
