// Which arguments of a function its result is made of, and how.
import { parseColumnType, type ColumnType } from '../../../sql/types/column-type.ts';
import { plainPath } from '../../redact/subcolumn-name.ts';
import { isDate, isDateTime, plainTypeOf } from '../../../sql/types/traits.ts';
import { childrenOf, type Expression, type FunctionExpression } from '../tree/nodes.ts';
import { dictionaryOf } from '../confinement/values.ts';

/** How a stored column gets into a result column, the strongest first. A change to an earlier kind reveals more. */
export const FLOW_KINDS = ['unknown', 'value', 'computed', 'hashed', 'aggregated', 'condition'] as const;

/**
 * - `unknown`: cannot be followed; it must be assumed to be the value
 * - `value`: the column as it is, or one of its values: `any`, `max`, an element, a branch of `if`, a conversion
 * - `computed`: through other functions
 * - `hashed`: through a hash function, and what is around it
 * - `aggregated`: in a number over several rows: `count`, `uniq`, `sum`, `avg`
 * - `condition`: decides only which value: comparisons, conditions of `if` and `-If`, windows, keys of dictionaries
 */
export type FlowKind = (typeof FLOW_KINDS)[number];

/** Names of tuple elements, paths of JSON or keys of Map inside a value; arrays on the way have no part. */
export type ValuePath = readonly string[];

/** An argument, the part of it that is used, and how. */
export interface ArgumentUse {
  readonly argument: Expression;
  readonly path: ValuePath;
  readonly kind: FlowKind;
}

/** What the part `path` of a function's result is made of. Dictionaries that it reads are not included. */
export function usesOfCall(call: FunctionExpression, path: ValuePath): readonly ArgumentUse[] {
  const around = childrenOf(call).slice(call.arguments.length); // parameters of aggregates, windows
  const own = call.role === 'ordinary' ? ordinaryUses(call, path) : aggregateUses(call, path);
  return [...own, ...around.map((each) => use(each, 'condition'))];
}

function use(argument: Expression, kind: FlowKind, path: ValuePath = []): ArgumentUse {
  return { argument, kind, path };
}

/** Functions whose arguments are their possible values, or the elements of it. */
const VALUES: ReadonlySet<string> = new Set([
  'coalesce', 'ifnull', 'firstnondefault', 'greatest', 'least', 'array', 'arrayconcat', 'arraypushback', 'arraypushfront',
  'mapconcat', 'mapupdate', 'arrayresize', 'arraypartialsort', 'arraypartialreversesort', 'accuratecastordefault',
]); // prettier-ignore

/** Functions that return their first argument in another type. */
const CONVERSIONS: ReadonlySet<string> = new Set([
  'tostring', 'touuid', 'tolowcardinality', 'tonullable', 'materialize', 'identity', 'assumenotnull', 'tojsonstring',
  'accuratecast', 'accuratecastornull', 'tofixedstring', 'todynamic', 'dynamicelement', 'variantelement',
]); // prettier-ignore

/** Functions that return elements of their first argument, which these and the other arguments choose. */
const ELEMENTS: ReadonlySet<string> = new Set([
  'nullif', 'arrayjoin', 'arrayreverse', 'arrayslice', 'arraydistinct', 'arrayflatten', 'arraycompact', 'arraypopback',
  'arraypopfront', 'arraysort', 'arrayreversesort',
  'arrayshuffle', 'arrayrandomsample', 'arrayintersect', 'arraymin', 'arraymax', 'arrayrotateleft', 'arrayrotateright',
  'emptyarraytosingle',
]); // prettier-ignore

/** Functions with a lambda that return elements of an array or map, chosen by the lambda. */
const CHOSEN: ReadonlySet<string> = new Set([
  'arrayfilter', 'arrayfirst', 'arraylast', 'arrayfirstornull', 'arraylastornull', 'arraysort', 'arrayreversesort',
  'arraypartialsort', 'arraypartialreversesort', 'arrayfill', 'arrayreversefill', 'arraysplit', 'arrayreversesplit',
  'mapfilter', 'mapsort', 'mapreversesort', 'mappartialsort', 'mappartialreversesort',
]); // prettier-ignore

const CONDITIONS =
  /^(?:equals|notequals|less|greater|lessorequals|greaterorequals|isdistinctfrom|isnotdistinctfrom|(?:global)?(?:not)?(?:null)?in(?:ignoreset)?|i?like|noti?like|match|isnull|isnotnull|empty|notempty|and|or|not|xor|has|hasall|hasany|exists|mapcontains\w*|grouping|array(?:exists|all|count)|startswith|endswith)$/;

const HASHES =
  /^(?:sha\d+\w*|md[45]|siphash\w*|cityhash64|farmhash64|farmfingerprint64|metrohash64|xxhash\d+|xxh3|murmurhash\w+|halfmd5|blake3|ripemd160|keccak256|wyhash64|hmac)$/;

function ordinaryUses(call: FunctionExpression, path: ValuePath): readonly ArgumentUse[] {
  const { arguments: list } = call;
  const name = call.name.toLowerCase();
  const [first] = list;
  const all = (kind: FlowKind, inner: ValuePath = []): readonly ArgumentUse[] =>
    list.map((each) => use(each, kind, inner));
  if (first === undefined) return [];
  if (CONDITIONS.test(name)) return all('condition');
  if (first.kind === 'lambda') return lambdaUses(list, name, path);
  if (HASHES.test(name)) return all('hashed');
  if (VALUES.has(name)) return all('value', path);
  const lookup = dictionaryOf(call);
  if (lookup !== undefined) return dictionaryUses(list, name, path);
  if (name === 'cast' || name === '_cast')
    return isDayOf(first, call.type) ? all('computed') : [use(first, 'value', positions(path, call.type))];
  if (CONVERSIONS.has(name))
    return [use(first, 'value', path), ...list.slice(1).map((each) => use(each, 'condition'))];
  if (ELEMENTS.has(name))
    return chosen(first, list.slice(1), isMap(first) && name === 'arrayjoin' ? [] : path);
  if (/^map(?:keys|values|fromarrays)$/.test(name)) return all('value');
  switch (name) {
    case 'if':
      return [use(first, 'condition'), ...list.slice(1).map((each) => use(each, 'value', path))];
    case 'multiif':
      return list.map((each, index) => branch(each, index % 2 === 0 && index < list.length - 1, path));
    case 'casewithexpression':
      return list.map((each, index) =>
        branch(each, index === 0 || (index % 2 === 1 && index < list.length - 1), path),
      );
    case 'transform':
      return list.map((each, index) => branch(each, list.length > 3 && index === 0, path));
    case 'tuple':
      return elementOf(list, path, call.type);
    case 'nested':
      return elementOf(list.slice(1), path, call.type);
    case 'arrayzip':
    case 'arrayzipunaligned':
      return elementOf(list, path, call.type);
    case 'map':
      return mapUses(list, path);
    case 'tupleelement':
    case 'getsubcolumn':
    case 'arrayelement':
    case 'arrayelementornull':
      return partUses(call, path);
    default:
      return JSON_VALUES.test(name) ? jsonUses(list, name) : all('computed');
  }
}

/** A conversion to the day of a time, as by `toDate`. */
function isDayOf(value: Expression, type: string): boolean {
  return 'type' in value && isDateTime(plainTypeOf(value.type)) && isDate(plainTypeOf(type));
}

function branch(argument: Expression, isCondition: boolean, path: ValuePath): ArgumentUse {
  return isCondition ? use(argument, 'condition') : use(argument, 'value', path);
}

function isMap(expression: Expression): boolean {
  return typeOf(expression)?.kind === 'map';
}

/** What is left out of a part may still decide which elements are returned, or their order. */
function chosen(value: Expression, others: readonly Expression[], path: ValuePath): readonly ArgumentUse[] {
  const conditions = [...(path.length === 0 ? [] : [value]), ...others];
  return [use(value, 'value', path), ...conditions.map((each) => use(each, 'condition'))];
}

/** The elements of a tuple, or the one that the path begins with. */
function elementOf(list: readonly Expression[], path: ValuePath, type: string): readonly ArgumentUse[] {
  const [head, ...rest] = positions(path, type);
  const element = head === undefined ? undefined : list[Number(head) - 1];
  return element === undefined
    ? list.map((each) => use(each, 'value'))
    : [use(element, 'value', rest), ...list.map((each) => use(each, 'condition')).filter(isOther(element))];
}

/** Arrays that are zipped have one length; the other elements of a tuple have no influence. */
function isOther(element: Expression): (use: ArgumentUse) => boolean {
  return ({ argument }) => argument !== element && typeOf(argument)?.kind === 'array';
}

function mapUses(list: readonly Expression[], path: ValuePath): readonly ArgumentUse[] {
  const [key, ...rest] = path;
  const keys = list.filter((_, index) => index % 2 === 0);
  const values = list.filter((_, index) => index % 2 === 1);
  if (key === undefined) return list.map((each) => use(each, 'value'));
  const known = keys.map((each) => (each.kind === 'constant' ? partName(each.text) : undefined));
  if (known.every((each) => each !== undefined)) {
    const found = values[known.indexOf(key)];
    return found === undefined ? [] : [use(found, 'value', rest)];
  }
  return [...keys.map((each) => use(each, 'condition')), ...values.map((each) => use(each, 'value', rest))];
}

/** An element of a tuple, array or map, or a path of JSON. */
function partUses({ name, arguments: list }: FunctionExpression, path: ValuePath): readonly ArgumentUse[] {
  const [value, part, ...rest] = list;
  if (value === undefined || part === undefined) return list.map((each) => use(each, 'value'));
  const others = rest.map((each) => use(each, 'value', path));
  const type = typeOf(value);
  const isArray = /^arrayelement/i.test(name);
  if (isArray && type?.kind === 'array')
    return [use(value, 'value', path), use(part, 'condition'), ...others];
  const constant = part.kind === 'constant' ? partName(part.text) : undefined;
  const isIndex = isArray && type?.kind !== 'map' && /^-?\d+$/.test(constant ?? ''); // of an array in a value of any type
  if (isIndex) return [use(value, 'value', path), ...others];
  if (constant === undefined) return [use(value, 'value'), use(part, 'condition'), ...others];
  const names = /^getsubcolumn$/i.test(name) ? plainPath(constant).split('.') : [constant];
  return [use(value, 'value', [...names, ...path]), ...others];
}

/** Functions that return a part of a document, which the arguments after it lead to. */
const JSON_VALUES =
  /^(?:jsonextract(?:string|raw|int|uint|float|bool|arrayraw|keysandvaluesraw)?|(?:simplejson|visitparam)extract(?:string|raw|int|uint|float|bool)|json_(?:value|query))$/;

function jsonUses([value, ...all]: readonly Expression[], name: string): readonly ArgumentUse[] {
  if (value === undefined) return [];
  const parts = name === 'jsonextract' ? all.slice(0, -1) : all; // the last one is a type
  const names = parts.map((each) => (each.kind === 'constant' ? partName(each.text) : undefined));
  // A number leads to an element or to a member, and `$.a` is a path: what they lead to is part of what is before them.
  const unknown = names.findIndex((each) => each === undefined || /^(?:-?\d+$|\$)/.test(each));
  const path = names.slice(0, unknown < 0 ? undefined : unknown).flatMap((each) => each ?? []);
  return [use(value, 'value', path), ...parts.map((each) => use(each, 'condition'))];
}

/** The key of a dictionary decides which row is read; a default is a possible value. */
function dictionaryUses(list: readonly Expression[], name: string, path: ValuePath): readonly ArgumentUse[] {
  const isDefault = (index: number): boolean => name.endsWith('ordefault') && index === list.length - 1;
  return list.map((each, index) => branch(each, !isDefault(index), path));
}

function lambdaUses(list: readonly Expression[], name: string, path: ValuePath): readonly ArgumentUse[] {
  const [lambda, ...rest] = list;
  if (lambda === undefined) return [];
  if (CHOSEN.has(name)) {
    const value = rest[name.includes('partial') ? 1 : 0]; // after the limit
    const others = [lambda, ...rest.filter((each) => each !== value)];
    return value === undefined ? others.map((each) => use(each, 'value')) : chosen(value, others, path);
  }
  if (name === 'arraymap') return [use(lambda, 'value', path), ...rest.map((each) => use(each, 'condition'))]; // their lengths
  if (name === 'arrayfold') {
    const start = rest.at(-1);
    const values = start === undefined ? [] : [use(start, 'value', path)];
    return [use(lambda, 'value'), ...rest.slice(0, -1).map((each) => use(each, 'condition')), ...values];
  }
  return list.map((each) => use(each, 'computed'));
}

/** Aggregate functions that return values of their first argument; the other arguments decide which. */
const VALUE_AGGREGATES =
  /^(?:any|anyheavy|anylast|first_value|last_value|anyvalue|any_value|first|last|min|max|argmin|argmax|grouparray\w*|groupuniqarray|array_agg|groupconcat|group_concat|string_agg|listagg|topk|topkweighted|lag|lead|laginframe|leadinframe|nth_value|singlevalueornull)$/;

/** Those that compare the values of their first argument. */
const CHOSEN_BY_VALUE =
  /^(?:min|max|groupuniqarray|grouparraysorted|grouparraydistinct|topk|singlevalueornull)/;

/** Aggregate functions that return numbers about many rows. */
const SUMMARIES =
  /^(?:count|uniq\w*|sum(?:kahan|count|withoverflow)?|avg(?:weighted)?|var(?:pop|samp|_pop|_samp)\w*|variance|stddev\w*|std|corr\w*|covar\w*|quantiles?\w*|median\w*|entropy|skew\w*|kurt\w*|histogram|approx_count_distinct|cramersv\w*|theilsu|contingency|rankcorr|simplelinearregression)$/;

const COMBINATOR =
  /^(.+?)(If|Array|ForEach|Distinct|OrNull|OrDefault|Resample|ArgMin|ArgMax|SimpleState|State|MergeState|Merge|Null)$/;
/** Combinators whose last argument chooses rows. */
const CHOOSING: ReadonlySet<string> = new Set(['If', 'ArgMin', 'ArgMax', 'Resample']);

function aggregateUses(
  { name, arguments: list }: FunctionExpression,
  path: ValuePath,
): readonly ArgumentUse[] {
  const [base, conditions] = withoutCombinators(name, 0);
  const values = list.slice(0, list.length - conditions);
  const others = list.slice(list.length - conditions).map((each) => use(each, 'condition'));
  if (SUMMARIES.test(base)) return [...values.map((each) => use(each, 'aggregated')), ...others];
  const [first, ...rest] = values;
  if (first === undefined) return others;
  if (!VALUE_AGGREGATES.test(base)) return [...values.map((each) => use(each, 'computed')), ...others];
  const isDefault = /^l(?:ag|ead)/.test(base); // lag(x, offset, default)
  const fallback = isDefault ? rest.slice(1).map((each) => use(each, 'value', path)) : [];
  const isOwn = CHOSEN_BY_VALUE.test(base) && path.length > 0;
  const choosing = [...(isOwn ? [first] : []), ...(isDefault ? rest.slice(0, 1) : rest)];
  return [
    use(first, 'value', path),
    ...choosing.map((each) => use(each, 'condition')),
    ...fallback,
    ...others,
  ];
}

/** The function without its combinators, in lower case, and the number of arguments that belong to those. */
function withoutCombinators(name: string, conditions: number): readonly [base: string, conditions: number] {
  const found = COMBINATOR.exec(name);
  if (found === null || VALUE_AGGREGATES.test(name.toLowerCase())) return [name.toLowerCase(), conditions];
  const [, base = '', combinator = ''] = found;
  return withoutCombinators(base, conditions + (CHOOSING.has(combinator) ? 1 : 0));
}

/** The name that a constant is as a part: of an element, a path or a key. */
function partName(constant: string): string | undefined {
  return /^'((?:[^'\\]|\\.)*)'$/s.exec(constant)?.[1] ?? /^U?Int64_(-?\d+)$/.exec(constant)?.[1];
}

function typeOf(expression: Expression): ColumnType | undefined {
  if (expression.kind === 'column' || expression.kind === 'function' || expression.kind === 'constant')
    return parseColumnType(expression.type);
  return undefined;
}

/** The path with the first name as a position, if the type is a tuple. */
export function positions(path: ValuePath, type: string): ValuePath {
  const [head, ...rest] = path;
  if (head === undefined) return path;
  const elements = elementsOf(parseColumnType(type));
  const at = elements === undefined ? -1 : [...elements.keys()].indexOf(head);
  return at < 0 ? path : [String(at + 1), ...rest];
}

function elementsOf(type: ColumnType): ReadonlyMap<string, ColumnType> | undefined {
  if (type.kind === 'array') return elementsOf(type.element);
  return type.kind === 'tuple' ? type.elements : undefined;
}

/** The path of a stored column with names for positions, and the type there; '' if that is not known. */
export function namedPart(
  type: string,
  path: ValuePath,
): { readonly path: ValuePath; readonly type: string } {
  const names: string[] = [];
  let current: ColumnType | undefined = parseColumnType(type);
  for (const part of path) {
    while (current?.kind === 'array') current = current.element;
    if (current?.kind === 'tuple') {
      const found: readonly [string, ColumnType] | undefined = current.elements.has(part)
        ? [part, current.elements.get(part) as ColumnType] // has it
        : [...current.elements][Number(part) - 1];
      names.push(found?.[0] ?? part);
      current = found?.[1];
    } else {
      names.push(part);
      if (current?.kind === 'map') current = current.value;
      else current = current?.kind === 'json' ? current.paths.get(part) : undefined;
    }
  }
  return { path: names, type: path.length === 0 ? type : (current?.name ?? '') };
}
