// Changes of a parameter that restricts rows, by which a call can read rows that it could not read before.
import type { DeclaredParameter } from '../../service/params/declared.ts';
import type { ParameterCode } from './parameter-changes.ts';
import type { Restriction } from './restricting-parameters.ts';
import { hasType, isNullable } from '../../sql/types/traits.ts';
import { parseType, type ClickHouseType } from '../../sql/types/type.ts';

interface Weakening {
  readonly code: ParameterCode;
  /** Who may read what. */
  readonly says: string;
}

interface Pair {
  readonly old: DeclaredParameter;
  readonly now: DeclaredParameter;
  readonly restriction: Restriction;
}

/** The security change that a change of a parameter is, if it makes its restriction weaker. */
export function weakening(code: ParameterCode, pair: Pair): Weakening | undefined {
  return WEAKENINGS[code]?.(pair);
}

const MORE = {
  code: 'tenant.values_widened',
  says: 'calls can select rows that no value selected before',
} as const;

const WILDCARDS = {
  code: 'tenant.values_widened',
  says: 'calls can send values that match the rows of others, such as an empty string or a pattern',
} as const;

const wildcards = ({ restriction }: Pair): Weakening | undefined =>
  restriction.hasWildcards ? WILDCARDS : undefined;

const WEAKENINGS: Partial<Record<ParameterCode, (pair: Pair) => Weakening | undefined>> = {
  'parameter.now_optional': (pair) => ({ code: 'tenant.parameter_optional', says: optional(pair) }),
  'parameter.default_changed': (pair) =>
    changesDefault(pair) ? { code: 'tenant.default_changed', says: absent(pair.now) } : undefined,
  'parameter.enum_widened': () => MORE,
  'parameter.range_widened': () => MORE,
  'parameter.pattern_removed': wildcards,
  'parameter.pattern_changed': (pair) => (pair.old.pattern === undefined ? undefined : wildcards(pair)),
  'parameter.format_removed': wildcards,
  'parameter.length_widened': (pair) => (minimum(pair.now) < minimum(pair.old) ? wildcards(pair) : undefined),
  'parameter.type_widened': changesType,
  'parameter.type_changed': changesType,
};

function optional({ now }: Pair): string {
  return now.default === undefined
    ? 'calls without it run with NULL, and with every row for which the condition accepts NULL'
    : absent(now);
}

function absent({ default: value }: DeclaredParameter): string {
  const shown = value === undefined ? 'NULL' : JSON.stringify(value);
  return `any caller may omit it, and gets the rows that ${shown} selects`;
}

/** Values that select every row in conditions such as `@p = '' OR …`, LIKE and match. */
const EVERYTHING: ReadonlySet<unknown> = new Set([
  '',
  '%',
  '%%',
  '*',
  '.*',
  '^',
  '^.*$',
  '.',
  '0',
  0,
  false,
  'all',
  'ALL',
]);

function changesDefault({ now, restriction }: Pair): boolean {
  const value: unknown = Array.isArray(now.default) && now.default.length === 0 ? '' : now.default;
  return restriction.isTenant || restriction.hasWildcards || EVERYTHING.has(value);
}

function minimum({ min_length: length }: DeclaredParameter): number {
  return length ?? 0;
}

const LISTS: ReadonlySet<string> = new Set(['Array', 'Tuple', 'Map']);
const TEXTS: ReadonlySet<string> = new Set(['String', 'FixedString']);

function changesType({ old, now, restriction }: Pair): Weakening | undefined {
  const [before, after] = [parseType(old.type), parseType(now.type)];
  const becomes = (test: (type: ClickHouseType) => boolean): boolean =>
    hasType(after, test) && !hasType(before, test);
  const isList = LISTS.has(after.name) && !LISTS.has(before.name);
  const isNull = becomes(isNullable);
  const isText = restriction.hasWildcards && becomes(({ name }) => TEXTS.has(name));
  if (!isList && !isNull && !isText) return undefined;
  const says = isList
    ? 'a call can select the rows of several values'
    : isNull
      ? 'calls can send null'
      : 'calls can send patterns';
  return { code: 'tenant.type_changed', says };
}
