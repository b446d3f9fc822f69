// Generates conditions on one column: operators and functions that index analysis reads, over values of its type and of others.
import { LEAKPROOF_FUNCTIONS } from '../../../src/guard/sandbox/leakproof/functions.ts';
import type { ColumnKind, IndexedColumn } from './index-columns.ts';

const LITERALS: Readonly<Record<ColumnKind, readonly string[]>> = {
  number: ['0', '1', '-1', '5', '9', '10', '99', '100', '127', '128', '255', '256', '300', '-128', '65536', '1.5', '0.1', '5.0', '1e18', '1e300', '4294967296', '9223372036854775807', '9223372036854775808', '18446744073709551615', '18446744073709551616', '1000000000000000001', 'true', 'false', "'5'", "'0'", "'10'", "'1.5'", "'255'", 'toUInt8(5)', 'toFloat32(0.1)', 'toInt64(5)', '5::Float64', 'toFloat64(5)', "'5'::Int64", 'toUInt64(18446744073709551615)', '9007199254740993', '2147483648', '0.5', '-0.0', '1704067200'],
  text: ["''", "'a'", "'az'", "'ab'", "'abc'", "'b'", "'xyz'", "'A'", "'k'", "'5'", "'10'", "'aé'", "'\\xff'", "'a\\xff\\xff'", "'\\0'", "'abc\\0'", "'a\\0\\0\\0'", "'hello'", "'hello big World'", "'é'", "'World'", "' '", "'a_b'", "'a%b'", "'\\\\'", "toFixedString('a', 4)", "'a'::FixedString(4)", "'a'::LowCardinality(String)", "'https://ex.org/p?k=a'", "'ex.org'", "concat('a', 'z')", "'abcd'", "toString(5)", "'a'::Nullable(String)"],
  time: ["'2000-01-01'", "'1970-01-01'", "'2149-06-06'", "'2024-11-03 05:50:00'", "'2024-11-03 06:05:00'", "'2024-11-03 01:55:00'", "'2000-01-01 15:00:00'", "'1970-01-01 00:00:00'", "'2106-02-07 06:28:15'", "'1900-01-01 00:00:00'", "'2299-12-31 23:59:59'", "toDate('2000-01-01')", "toDate('2149-06-06')", "toDate32('1900-01-01')", "toDate32('2299-12-31')", "toDateTime('2000-01-01 15:00:00')", "toDateTime('2106-02-07 06:28:15')", "toDateTime('2024-11-03 01:30:00', 'America/New_York')", "toDateTime64('1900-01-02 00:00:00', 3)", "toDateTime64('2000-01-01 15:00:00', 6, 'UTC')", "toDateTime64('2262-04-11 23:47:16', 0)", "toDateTime64('2149-06-07 12:00:00', 3)", "toDateTime(0)", 'toDateTime64(0, 6)', 'now()', 'today()', 'now() - INTERVAL 1 DAY', "'2000-01-01 15:00:00'::DateTime", "'2149-06-07'::Date32", '1000000000', '0', '4294967295', '5', "'1000000000'", "toStartOfHour(toDateTime('2000-01-01 15:00:00'))", "toDate('1970-01-02')", "'1970-01-01 00:30:00'", "'1999-12-31 23:59:59.9'", "toDateTime64('1999-12-31 23:59:59.9', 1)", "'1969-12-31 23:59:59.999'"],
  list: ['[]', "['a']", "['']", "['az', 'b']", "['a', NULL]", "['b', 'a', 'a']", '[5]', '[1, 2]', '[255, 0]', '[300]', '[nan]', '[5.0]', '[NULL]', "array('a')", '[1.5]', '[-1]', "['xyz', '']"],
  map: ["{'k': 'a'}", 'map()', "map('k', 'a')", "map('k', 5)", "{'y': 'az', 'k': 'b'}", "map('k', '')"],
  other: ["'61f0c404-5cb3-11e7-907b-a6006ad3dba0'", "'00000000-0000-0000-0000-000000000001'", "toUUID('00000001-0000-0000-0000-000000000000')", "'10.0.0.1'", "'9.0.0.1'", "toIPv4('100.1.1.1')", "toIPv6('::1')", "'::ffff:10.0.0.1'", "'::1'", "'a'", "'z'", "'m'", "''", "'zz'", '1', '2', "('a', 5, 5)", "('b', -1, 1)", "toIPv6('::ffff:10.0.0.1')", '167772161', "'az'", "'xyz'", '5', '5.5', '0', '10', "'9'", "'10'"],
}; // prettier-ignore
const KINDS: readonly ColumnKind[] = ['number', 'text', 'time', 'list', 'map', 'other'];

const LIKES = ['a%', '%a', '%', '%%', '', 'a_', 'ab%', 'a\\\\_b', 'a\\\\%%', '_', '%xyz%', '%hello%', '%big World', 'x%z', 'a\\\\\\\\%', 'A%', '%a%b', '%é%', 'aé%', '_é', '%\\\\_%', 'hello big World', '%World%', '% big %', '5%', '1%', '20%', '10', 'abc_', '%abc%', '__', '\\0%']; // prettier-ignore
const REGEXES = ['^a', '^aé', '^abc.|xyz', '^ab?', '^b+|xyz', 'xyz|hello', '(?i)HELLO', '^(?:a|b)', '^a$', 'a.*b', '^a{0}b', '^', '.*', '^[ab]', 'hello( big)? World', '(?:abc)?', '(xyz){0}', 'a|', '(?i)^A', '^a\\\\\\\\b', 'x*yz', 'abc*', 'abc?', 'abc{0,1}', '[^a]', '^\\\\x61', '^\\\\Qa\\\\E', '^a\\\\.b', 'hello.*World', '(hello|xyz)', '^(?s).', '^a|^b', '\\\\bbig\\\\b', '^5', '^\\\\d', 'é', '^a\\\\_', '^ab{2}', '^a(b|z)', '^a(?:b)?', '(^a)', '^(a)b?', '$', '^$', 'abc', '^a.', 'big\\\\sWorld', '^a\\\\x{e9}', '^(?-s)a', '^ab|c', '(?m)^a', '^a+', 'bi+g', '(?i)abc']; // prettier-ignore

const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland'];
const CASTS = ['UInt8', 'Int8', 'UInt16', 'Int16', 'Int32', 'UInt32', 'Int64', 'UInt64', 'Float32', 'Float64', 'Bool', 'UUID', 'Date', 'Int128', 'Nullable(Int8)', 'Nullable(Float32)', 'String']; // prettier-ignore

/** `@` is a value, `#` a literal, `~` a literal of a string, `&` a condition. */
const VALUE_FORMS: Readonly<Record<'any' | ColumnKind, readonly string[]>> = {
  any: ['(@)', 'coalesce(@, #)', 'ifNull(@, #)', 'nullIf(@, #)', 'toString(@)', '@::String', 'CAST(@ AS String)', "CAST(@, 'Nullable(String)')", "accurateCastOrNull(@, '{cast}')", 'if(&, @, #)', 'if(&, #, @)', 'multiIf(&, @, &, #, @)', 'CASE WHEN & THEN @ ELSE # END', 'CASE @ WHEN # THEN # ELSE # END', 'CASE WHEN & THEN @ END', 'tuple(@).1', 'tuple(@, id).2', 'array(@)[1]', '[@, #][1]', '[@][2]', 'length(@)', 'concat(@, ~)', 'concat(~, @)', '@ || ~', 'empty(@)', 'arrayElement([@], 1)', '(@, 1)', 'tuple(@, #)', '[@]', 'if(isNull(@), #, @)', 'CAST(@, \'String\')', '@ IS NULL', 'isNull(@)', 'isNotNull(@)', 'v', 'id'],
  text: ['lower(@)', 'upper(@)', 'lowerUTF8(@)', 'upperUTF8(@)', 'substring(@, 1, 2)', 'substring(@, 2)', 'substring(@, -1)', 'left(@, 1)', 'left(@, -1)', 'right(@, 1)', 'reverse(@)', 'trim(@)', 'trimLeft(@)', 'trimRight(@)', 'trimBoth(@)', 'length(@)', "toInt64OrNull(@)", 'toUInt8OrZero(@)', 'toFloat64OrZero(@)', 'toFloat64OrNull(@)', 'toIPv4OrNull(@)', 'toUUIDOrZero(@)', "extract(@, '{regex}')", "extractAll(@, '{regex}')", 'position(@, ~)', 'positionCaseInsensitive(@, ~)', 'domain(@)', 'path(@)', 'protocol(@)', 'queryString(@)', 'cutQueryString(@)', "splitByChar(',', @)", "splitByString(' ', @)", "JSONExtractString(@, 'a')", "JSONExtractInt(@, 'a')", "JSONExtractRaw(@, 'a')", "JSONExtractBool(@, 'a')", "JSONExtractFloat(@, 'a')", "JSONExtractUInt(@, 'a')", 'position(@ IN ~)'],
  number: ['@ + 1', '@ - 1', '-@', '@ * 2', '@ / 2', '1 - @', '@ % 3', 'round(@)', 'floor(@)', 'abs(@)', 'toInt64(@)', 'toFloat64(@)', 'toUInt8(@)', 'negate(@)', '@ + 0', '@::Float64'],
  time: ['toMonth(@)', 'toQuarter(@)', 'toYear(@)', 'toYYYYMM(@)', 'toYYYYMMDD(@)', "toYear(@, '{zone}')", "toYYYYMM(@, '{zone}')", "toYYYYMMDD(@, '{zone}')", "toMonth(@, '{zone}')", "toQuarter(@, '{zone}')", "formatDateTime(@, '%Y-%m-%d')", "formatDateTime(@, '%H:%i')", "toTimeZone(@, '{zone}')", "toMonth(toTimeZone(@, '{zone}'))", "toYear(toTimeZone(@, '{zone}'))", 'toDateTime64(@, 0)', 'toDateTime64(@, 3)', "toDateTime64(@, 6, '{zone}')", 'CAST(@ AS DateTime64(3))', 'CAST(@ AS DateTime64(0))', "CAST(@ AS DateTime64(6, '{zone}'))", 'toHour(@)', 'toDate(@)', 'toDateTime(@)', 'toStartOfDay(@)', '@ + INTERVAL 1 DAY', 'toUnixTimestamp(@)', "toString(@, '{zone}')", 'CAST(@ AS Date32)', '@ - 5'],
  list: ['@[1]', '@[-1]', '@[2]', 'arrayElement(@, 1)', 'length(@)', 'arrayDistinct(@)', 'arrayFilter(x -> x = #, @)', 'arrayCount(x -> x = #, @)', 'arrayCount(@)', 'arrayUniq(@)', 'reverse(@)', 'concat(@, [#])', '@.size0', 'empty(@)', 'notEmpty(@)', 'concat(@, @)', 'tupleElement(tuple(@), 1)'],
  map: ["@['k']", "@['y']", "@['zz']", "arrayElement(@, 'k')", 'mapKeys(@)', 'mapValues(@)', 'mapKeys(@)[1]', 'mapValues(@)[1]', 'length(@)', '@.keys', '@.values', 'length(mapKeys(@))', 'empty(@)', "@['']"],
  other: ['@.1', '@.x', '@.y', 'tupleElement(@, 1)', 'toUUIDOrNull(toString(@))', 'toIPv6OrNull(toString(@))', 'length(toString(@))', 'left(toString(@), 2)', '@.:String', 'lower(toString(@))'],
}; // prettier-ignore

const PREDICATES: Readonly<Record<'any' | ColumnKind, readonly string[]>> = {
  any: ['@ {op} #', '@ {op} #', '@ {op} #', '@ {op} #', '# {op} @', '@ {op} @', '@ IN (#, #)', '@ IN (#)', '@ IN (#, #, NULL)', '@ NOT IN (#, #)', '@ NOT IN (#)', '@ IN [#, #]', '@ IN #', '@ BETWEEN # AND #', '@ NOT BETWEEN # AND #', '@ IS NULL', '@ IS NOT NULL', 'isNull(@)', 'isNotNull(@)', '@ <=> #', '@ IS DISTINCT FROM #', '@ IS NOT DISTINCT FROM #', '@ == #', '@ <> #', 'equals(@, #)', 'notEquals(@, #)', 'less(@, #)', 'greaterOrEquals(#, @)', 'lessOrEquals(@, #)', 'greater(@, #)', 'has([#, #], @)', 'has([#], @)', 'hasAny([@], [#, #])', 'hasAll([@], [#])', 'hasAll([#, #], [@])', '(@, 1) {op} (#, 1)', '(@, id) IN ((#, 1), (#, 2))', '(1, @) IN ((1, #), (1, #))', 'tuple(@) IN (tuple(#))', 'nullIf(@, #) IS NULL', '@', '(@ {op} #) IN (0, 2)', '(@ {op} #) {op} 0', '(@ {op} #) = 1', 'ifNull(@ {op} #, 1)', 'empty(@)', 'notEmpty(@)', 'in(@, (#, #))', 'notIn(@, (#, #))', 'arrayExists(x -> x {op} #, [@])', 'arrayAll(x -> x {op} #, [@])', '[@] {op} [#]', '@ IN (#, #, #, #, #)', '@ {op} NULL', 'CASE @ WHEN # THEN 1 ELSE 0 END', '(@ {op} #) < 1', '@ {op} # {op} @'],
  text: ["@ LIKE '{like}'", "@ LIKE '{like}'", "@ NOT LIKE '{like}'", "@ ILIKE '{like}'", "@ NOT ILIKE '{like}'", "like(@, '{like}')", "notLike(@, '{like}')", "ilike(@, '{like}')", "notILike(@, '{like}')", "match(@, '{regex}')", "match(@, '{regex}')", "@ REGEXP '{regex}'", "NOT match(@, '{regex}')", 'startsWith(@, ~)', 'endsWith(@, ~)', 'NOT startsWith(@, ~)', 'multiSearchAny(@, [~, ~])', 'multiSearchAnyCaseInsensitive(@, [~, ~])', 'position(@, ~) > 0', 'position(@, ~) {op} 1', 'positionCaseInsensitive(@, ~) > 0', 'has([~, ~], @)', "like(@, '{like}') = 0", 'hasToken(@, ~)', 'hasAnyTokens(@, [~])', "JSONHas(@, 'a')", "match(@, '{regex}') = 0", "arrayExists(x -> x LIKE '{like}', [@])", 'startsWith(~, @)', 'lower(@) = lower(~)', 'hasSubsequence(@, ~)', 'countSubstrings(@, ~) > 0', '@ LIKE ~', "position(@, ~)"],
  number: ['@ IN (1, 5, 10)', '@ BETWEEN 1 AND 100', 'NOT @', '@ > 0', '@ IN (1.5, #)', '@ {op} -1'],
  time: ["@ >= '2000-01-01 00:00:00' AND @ < '2025-01-01 00:00:00'", "@ BETWEEN '1970-01-01 00:00:00' AND '2106-02-07 06:28:15'", '@ > now() - INTERVAL 1 DAY', '@ {op} #'],
  list: ['has(@, #)', 'has(@, #)', 'has(@, ~)', 'NOT has(@, #)', 'hasAny(@, [#, #])', 'hasAll(@, [#, #])', 'hasAll(@, [])', 'hasAny(@, [])', 'hasAny(@, [NULL, #])', 'has(@, NULL)', 'arrayExists(x -> x {op} #, @)', "arrayExists(x -> x LIKE '{like}', @)", 'arrayAll(x -> x {op} #, @)', 'arrayExists(x -> has([#], x), @)', "arrayExists(x -> startsWith(x, ~), @)", 'arrayCount(x -> x = #, @) = 0', 'hasAny(@, @)', '# IN @', "arrayExists(x -> match(x, '{regex}'), @)", "arrayExists(x -> x IN (#, #), @)", 'arrayExists(x -> 1, @)', "hasAny(@, [~, ~])"],
  map: ['mapContains(@, ~)', 'NOT mapContains(@, ~)', "mapContains(@, 'k')", "has(@, 'k')", 'has(@, ~)', "has(mapKeys(@), 'k')", 'has(mapValues(@), #)', "hasAny(mapKeys(@), ['k', #])", 'hasAll(mapValues(@), [#, #])', "mapContainsKeyLike(@, '{like}')", "mapContainsValueLike(@, '{like}')", 'mapContainsValue(@, #)', "arrayExists(x -> x = #, mapValues(@))", "arrayExists(x -> x LIKE '{like}', mapKeys(@))", 'NOT has(mapKeys(@), ~)', 'has(@.keys, ~)'],
  other: ['@ IN (#, #)', '@ {op} #', "toString(@) LIKE '{like}'", "startsWith(toString(@), ~)"],
}; // prettier-ignore

const COMBINED = ['& AND &', '& OR &', 'NOT &', 'NOT (& AND &)', 'NOT (& OR &)', '(& OR &) AND &', 'xor(&, &)', 'if(&, &, &)', 'not(&)', 'and(&, &)', 'or(&, &)', 'ifNull(&, 1)', 'isNull(&)', 'coalesce(&, 0)', 'multiIf(&, &, &, 1, &)', '& ? & : &', 'CASE WHEN & THEN & ELSE 0 END', '& = 0', '(&) = (&)', 'NOT NOT &', '& AND id > 100', '& OR id < 100', 'nullIf(&, 0) IS NULL', '(&) IN (1)', '(&) != 1', '(& AND &) OR (& AND &)', '(NOT &) OR &']; // prettier-ignore

const OPERATORS = ['=', '!=', '<', '>', '<=', '>=', '='];

type Random = (limit: number) => number;

/** Conditions on column `v`, as they may be written in a query; many are malformed for its type. */
export function createConditions(random: Random): (column: IndexedColumn) => string {
  const pick = (items: readonly string[]): string => items[random(items.length)] ?? '';
  const kindNear = (kind: ColumnKind): ColumnKind =>
    random(8) === 0 ? (KINDS[random(KINDS.length)] ?? kind) : kind;
  const fillPlain = (form: string): string =>
    form.replaceAll(/\{(\w+)\}/g, (_, name: string) => pick(PLAIN.get(name) ?? ['']));

  function literal(column: IndexedColumn): string {
    const choice = random(10);
    if (choice < 4) {
      const value = pick(column.values);
      return value.startsWith('CAST') ? value.slice(5, value.indexOf(',')) : value;
    }
    return choice === 4
      ? pick(['NULL', "'x'", '[]', '{a:String}'].slice(0, 3))
      : pick(LITERALS[kindNear(column.kind)]);
  }

  function value(column: IndexedColumn, depth: number): string {
    const read = pick(column.reads ?? ['v']);
    if (depth === 0 || random(5) < 2) return read;
    const inner = random(12);
    if (inner === 0) return calls(column, depth);
    const forms = inner < 4 ? VALUE_FORMS.any : VALUE_FORMS[kindNear(column.kind)];
    return fill(pick(forms), column, depth - 1);
  }

  /** Any function of the list, with arguments at random. */
  function calls(column: IndexedColumn, depth: number): string {
    const name = pick(LEAKPROOF_FUNCTIONS);
    const more = Array.from({ length: random(3) }, () => ', #').join('');
    return fill(`${name}(@${more})`, column, depth - 1);
  }

  function fill(form: string, column: IndexedColumn, depth: number): string {
    const deeper = Math.max(depth, 0);
    return fillPlain(form).replaceAll(/[@#~&]/g, (place) => {
      if (place === '@') return value(column, deeper);
      if (place === '#') return literal(column);
      if (place === '~') return pick(LITERALS.text);
      return condition(column, Math.max(deeper - 1, 0));
    });
  }

  function condition(column: IndexedColumn, depth: number): string {
    if (depth > 0 && random(5) === 0) return fill(pick(COMBINED), column, depth - 1);
    if (random(40) === 0) return calls(column, 1);
    const forms = random(2) === 0 ? PREDICATES.any : PREDICATES[kindNear(column.kind)];
    return fill(pick(forms), column, Math.min(depth, random(3)));
  }

  return (column) => condition(column, 2);
}

const PLAIN: ReadonlyMap<string, readonly string[]> = new Map([
  ['op', OPERATORS],
  ['like', LIKES],
  ['regex', REGEXES],
  ['zone', ZONES],
  ['cast', CASTS],
]);
