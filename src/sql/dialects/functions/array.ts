// Functions of arrays.
import { SERIES_FUNCTIONS } from './series.ts';
import { ordersNan, withoutNan } from '../equality.ts';
import { taking } from '../function.ts';
import type { Application, Rule, Rules } from '../context.ts';
import { onlyIf, sql, type Sql, condition, isNullable, operand, text, UNKNOWN, value, type Value, int } from '../value.ts'; // prettier-ignore
import { arrayOf } from '../write/unify.ts';
import { concatenatedArrays, elementAt, isNullArray, lengthOf, ofArray, sameArray } from './array-value.ts';

/** An argument that is an array. */
const arrayArgument = ({ arg, context }: Application, index: number): Value => context.elements(arg(index));

const isNullableElement = ({ type }: Value): boolean => type.element?.isNullable !== false;

function keeping(build: (own: Value) => Sql): Rule {
  return (application) => {
    const own = arrayArgument(application, 0);
    return sameArray(own, build(own));
  };
}

const size: Rule = (application) => lengthOf(arrayArgument(application, 0));

const length: Rule = (application) => {
  // A record is treated as an array with one element.
  if (application.arg(0).type.kind === 'object') return int('1', false);
  return size(application);
};

/** A number of the first dimension, of an array that is not empty: NULL of an empty one. */
function ofDimension(build: (own: Sql) => Sql): Rule {
  return (application) => {
    const { source, fail } = application;
    const dimension = application.call.args[1] === undefined ? undefined : source(1);
    if (dimension !== undefined && !(dimension.kind === 'number' && dimension.text === '1'))
      return fail('Only the first dimension of an array is supported');
    return int(build(arrayArgument(application, 0).sql));
  };
}

/** The number of elements; NULL of an empty array. */
export const lengthOfDimension: Rule = (application) =>
  application.arg(0).type.kind === 'object'
    ? length(application)
    : ofDimension((own) => sql`nullIf(length(${own}), 0)`)(application);

/** The elements as a string: NULL is skipped, or replaced by a text. */
function joined(application: Application): Value {
  const { optional, traits } = application;
  const own = arrayArgument(application, 0);
  const [separator, replacement] = [optional(1), optional(2)];
  const { element = UNKNOWN } = own.type;
  const nullable = isNullableElement(own);
  const string =
    element.kind === 'unknown' ? sql`toString(x)` : elementText({ sql: 'x', type: element }, traits);
  const isText = string === 'x';
  const strings = isText ? own.sql : sql`arrayMap(x -> ${string}, ${own.sql})`;
  const present = !nullable
    ? strings
    : replacement !== undefined && replacement.type.kind !== 'null'
      ? sql`arrayMap(x -> ifNull(${string}, ${replacement.sql}), ${own.sql})`
      : sql`arrayMap(x -> assumeNotNull(x), arrayFilter(x -> x IS NOT NULL, ${strings}))`;
  if (separator?.type.kind === 'null' || own.type.kind === 'null')
    return value('text', 'CAST(NULL AS Nullable(String))');
  return ofArray(own, value('text', sql`arrayStringConcat(${present}, ${separator?.sql ?? "','"})`, false));
}

function elementText(own: Value, { booleansAreLetters }: Application['traits']): Sql {
  if (own.type.kind !== 'bool' || !booleansAreLetters) return text(own);
  return sql`if(${own.sql} IS NULL, NULL, if(${own.sql}, 't', 'f'))`;
}

/** element_at(array, place), which counts from the end if it is negative. */
const element: Rule = (application) =>
  String(application.arg(1).sql) === '0'
    ? application.fail('An array has no element 0: places count from 1')
    : elementAt(arrayArgument(application, 0), application.arg(1), { base: 'both ends', isChecked: false });

/** The first or last element; an empty array has none. */
function endmost(place: '1' | '-1'): Rule {
  return (application) => {
    const own = arrayArgument(application, 0);
    const { element: type = UNKNOWN } = own.type;
    const isChecked = application.context.isEvaluated === true && !application.call.isSafe;
    const isNull = isNullArray(own);
    const isHere = sql`${isNull === undefined ? '' : sql`${isNull} OR `}notEmpty(${own.sql})`;
    const at = isChecked ? onlyIf(place, isHere) : place;
    return { sql: sql`arrayElementOrNull(${own.sql}, ${at})`, type: { ...type, isNullable: true } };
  };
}

/** Returns whether an array contains a value; `arrayAt`: the argument that is the array. */
export function contains(arrayAt: 0 | 1): Rule {
  return (application) => {
    const [own, item] = [arrayArgument(application, arrayAt), soughtAt(application, 1 - arrayAt)];
    return condition(sql`has(${own.sql}, ${item.sql})`, isNullable(item));
  };
}

/** NULL if the value is NULL, or may be one of the elements that are. */
export const containsOrNull: Rule = (application) => {
  const [own, item] = [arrayArgument(application, 0), application.arg(1)];
  if (!isNullableElement(own)) return contains(0)(application);
  const has = sql`has(${own.sql}, ${item.sql})`;
  return condition(
    sql`if(${item.sql} IS NULL OR (NOT ${has} AND has(${own.sql}, NULL)), NULL, ${has})`,
    true,
  );
};

/** The arrays one after the other; NULL among them is NULL, or in PostgreSQL skipped. */
function concatenated(application: Application): Value {
  const { call, context } = application;
  const arrays = call.args.map((_, index) => arrayArgument(application, index));
  if (arrays.length === 0) return application.fail(`${call.name} requires an array`);
  return concatenatedArrays(arrays, context.shared.traits.concatSkipsNull);
}

/** A value that is looked for among the elements, where no comparison with NaN is true in ClickHouse. */
const soughtAt = ({ arg, context }: Application, index: number): Value =>
  ordersNan(context) ? withoutNan(arg(index), context) : arg(index);

/** Equal values, NULL being equal to NULL. */
const isSame = (own: Sql, item: Value): Sql => sql`isNotDistinctFrom(${own}, ${item.sql})`;

const appended: Rule = (application) => {
  const [own, item] = [arrayArgument(application, 0), application.arg(1)];
  return sameArray(own, sql`arrayPushBack(${own.sql}, ${item.sql})`, both(own, item));
};

const prepended: Rule = (application) => {
  const [item, own] = [application.arg(0), arrayArgument(application, 1)];
  return sameArray(own, sql`arrayPushFront(${own.sql}, ${item.sql})`, both(own, item));
};

/** Tests all elements: one result decides; without it, one NULL makes the result NULL. */
function matching({ decides, isTrue }: { readonly decides: 0 | 1; readonly isTrue: boolean }): Rule {
  return (application) => {
    const results = sql`arrayMap(${application.arg(1).sql}, ${arrayArgument(application, 0).sql})`;
    const found = sql`has(${results}, ${String(decides)}), ${String(isTrue)}`;
    return value('bool', sql`multiIf(${found}, has(${results}, NULL), NULL, ${String(!isTrue)})`);
  };
}

function both({ type }: Value, item: Value): Value['type'] {
  const own = type.element ?? UNKNOWN;
  return { ...own, isNullable: own.isNullable || item.type.isNullable };
}

export const ARRAY_FUNCTIONS: Rules = {
  ...SERIES_FUNCTIONS,
  ...taking(
    'array any',
    {
      cardinality: size,
      array_size: size,
      array_length: length,
      array_upper: length,
      array_lower: ofDimension((own) => sql`if(empty(${own}), NULL, 1)`),
      array_join: joined,
      array_to_string: joined,
      element_at: element,
      array_first: endmost('1'),
      array_last: endmost('-1'),
      array_contains: contains(0),
      contains: contains(0),
      array_construct: (application) => arrayOf(application.all(), application),
      array_sort: keeping((own) => sql`arraySort(${own.sql})`),
      array_distinct: keeping((own) =>
        isNullableElement(own)
          ? sql`arrayMap(t -> t.1, arrayDistinct(arrayMap(x -> tuple(x), ${own.sql})))`
          : sql`arrayDistinct(${own.sql})`,
      ),
      array_reverse: keeping((own) => sql`arrayReverse(${own.sql})`),
      array_concat: concatenated,
      array_cat: concatenated,
      array_append: appended,
      array_prepend: prepended,
      array_remove: (application) => {
        const [own, item] = [arrayArgument(application, 0), soughtAt(application, 1)];
        return sameArray(own, sql`arrayFilter(x -> NOT ${isSame('x', item)}, ${own.sql})`);
      },
      array_replace: (application) => {
        const [own, item, other] = [
          arrayArgument(application, 0),
          soughtAt(application, 1),
          application.arg(2),
        ];
        return sameArray(
          own,
          sql`arrayMap(x -> if(${isSame('x', item)}, ${other.sql}, x), ${own.sql})`,
          both(own, other),
        );
      },
      array_position: (application) => {
        const [own, item] = [arrayArgument(application, 0), soughtAt(application, 1)];
        return int(sql`nullIf(indexOf(${own.sql}, ${item.sql}), 0)`);
      },
      array_positions: (application) => {
        const [own, item] = [arrayArgument(application, 0), soughtAt(application, 1)];
        const places = sql`arrayFilter((i, x) -> ${isSame('x', item)}, arrayEnumerate(${own.sql}), ${own.sql})`;
        return sameArray(own, places, { kind: 'int', isNullable: false });
      },
      any_match: matching({ decides: 1, isTrue: true }),
      all_match: matching({ decides: 0, isTrue: false }),
      none_match: matching({ decides: 1, isTrue: false }),
    },
    'decide',
  ),
};

/** A part of an array; both ends are included and count from 1, and places before the first one do not exist. */
export function sliceOf(array: Value, from: Value | undefined, to: Value | undefined): Value {
  const first = from === undefined ? '1' : atLeastOne(from);
  const length = to === undefined ? '' : sql`, greatest(0, ${operand(to)} - ${first} + 1)`;
  return sameArray(array, sql`arraySlice(${array.sql}, ${first}${length})`);
}

function atLeastOne(from: Value): Sql {
  const own = String(from.sql);
  return /^-?\d+$/.test(own) ? String(Math.max(1, Number(own))) : sql`greatest(1, ${from.sql})`;
}
