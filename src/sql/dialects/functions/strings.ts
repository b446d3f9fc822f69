// Functions that join, split and trim strings, and of bytes.
import { hexOf } from '../../clickhouse/bytes.ts';
import { quoteString } from '../../clickhouse/literal.ts';
import { taking, literalText, unlessNull, asText } from '../function.ts';
import type { Rule, Rules, Application } from '../context.ts';
import { sql, type Sql, text, value, type Kind, type Value, joinSql, isNullable, operand } from '../value.ts'; // prettier-ignore
import type { Traits } from '../traits.ts';
import { emptyArray } from './array-value.ts';

/** A literal each of whose characters is a byte: in MySQL, a string that is compared by its bytes. */
export function bytesLiteral(bytes: string, { hasBytes }: Traits): Value {
  const isPlain = /^[ -~]*$/.test(bytes);
  const own = isPlain ? quoteString(bytes) : `unhex('${hexOf(bytes)}')`;
  const kind = hasBytes ? 'bytes' : 'text';
  return { ...value(kind, own, false, { isBinary: true }), ...(isPlain ? { literal: bytes } : {}) };
}

/** A function of a string or of bytes. */
export const ofBytes =
  (kind: Kind, build: (own: Sql) => Sql): Rule =>
  (application) => {
    const own = application.arg(0);
    return value(kind, build(text(own)), false);
  };

/** hex, which of a number differs. */
export const hex: Rule = (application) => {
  const own = application.arg(0);
  if (own.type.kind !== 'text') return application.fail('hex is converted only for strings');
  return value('text', sql`hex(${text(own)})`, own.type.isNullable);
};

export const BYTES_FUNCTIONS: Rules = {
  ...taking('text', { md5: ofBytes('text', (own) => sql`lower(hex(MD5(${own})))`) }),
  ...taking('any', { hex }, 'decide'),
};

const PARTS = { element: { kind: 'text', isNullable: false } } as const;

/** An array made of a string; of NULL, an empty one that is absent. */
function ofText(own: Value, build: (present: Sql) => Sql): Value {
  if (own.type.kind === 'null') return { ...emptyArray({ kind: 'text', isNullable: true }), absent: 'true' };
  const absent = own.type.isNullable ? { absent: sql`(${text(own)} IS NULL)` } : {};
  const array = unlessNull([own], '[]', (present = '') => build(present));
  return { ...value('array', array, false, PARTS), ...absent };
}

/** The characters of a string, of which an empty one has one. */
const charactersOf = (own: Sql): Sql => sql`if(${own} = '', [''], extractAll(${own}, '(?s:.)'))`;

function split(application: Application): Value {
  const by = application.optional(1)?.sql ?? "','";
  return ofText(application.arg(0), (own) => sql`splitByString(${by}, ${own})`);
}

/** split with a literal separator: an empty one splits into characters. */
export function splitText(application: Application): Value {
  const { call, fail } = application;
  const own = application.arg(0);
  const separator = call.args.length > 1 ? literalText(application, 1) : ',';
  if (own.type.kind === 'bytes') return fail('split of bytes is not supported');
  if (separator === undefined) return fail('split requires a separator as a string literal');
  if (separator === null) return emptyArray({ kind: 'text', isNullable: true });
  return ofText(own, (present) =>
    separator === '' ? charactersOf(present) : sql`splitByString(${quoteString(separator)}, ${present})`,
  );
}

/** PostgreSQL's string_to_array: an empty string has no parts, and one text among the parts is NULL. */
function parts(application: Application): Value {
  const [own, by, none] = [application.arg(0), application.arg(1), application.optional(2)];
  const all = ofText(own, (string) => sql`if(${string} = '', [], ${separated(string, by, application)})`);
  if (none === undefined || none.type.kind === 'null') return all;
  const element = { kind: 'text', isNullable: true } as const;
  return {
    ...all,
    sql: sql`arrayMap(x -> nullIf(x, ${none.sql}), ${all.sql})`,
    type: { ...all.type, element },
  };
}

function separated(string: Sql, by: Value, { fail, call }: Application): Sql {
  if (by.type.kind === 'null') return sql`extractAll(${string}, '(?s).')`;
  if (by.literal === '') return sql`[${string}]`;
  return by.literal === undefined
    ? fail(`The separator of ${call.name} is supported only if it is a literal`)
    : sql`splitByString(${by.sql}, ${string})`;
}

export const SPLIT_FUNCTIONS: Rules = taking(
  'text',
  {
    split,
    string_to_array: parts,
    regexp_split_to_array: ({ arg, call, fail }) => {
      const by = arg(1);
      if (by.literal === undefined) return fail(`${call.name} requires a pattern as a string literal`);
      return ofText(arg(0), (own) =>
        by.literal === '' ? charactersOf(own) : sql`splitByRegexp(${by.sql}, ${own})`,
      );
    },
  },
  'decide',
);

/** A part of a string. */
function part(application: Application, index: number): Value {
  const own = application.arg(index);
  if (!application.traits.booleansAreLetters || own.type.kind !== 'bool') return asText(application, index);
  const letter = sql`if(${own.sql}, 't', 'f')`;
  const { isNullable: nullable } = own.type;
  return value('text', nullable ? sql`if(${operand(own)} IS NULL, NULL, ${letter})` : letter, nullable);
}

/** concat: NULL if an argument is NULL, except where NULL is skipped. */
function concat(application: Application): Value {
  const { all, call, context, fail } = application;
  if (call.args.length === 0) return fail('concat requires an argument');
  const written = all().map((_, index) => part(application, index));
  if (context.shared.traits.concatSkipsNull) {
    const present = written.map((each) =>
      each.type.isNullable ? sql`ifNull(${text(each)}, '')` : text(each),
    );
    return value('text', sql`concat(${joinSql(present)})`, false);
  }
  const parts = written.map((each) => (each.type.kind === 'unknown' ? each.sql : text(each)));
  const [first = value('text', "''")] = written;
  const kind = first.type.kind === 'bytes' ? 'bytes' : 'text';
  return value(kind, sql`concat(${joinSql(parts)})`, isNullable(...written));
}

/** Strings with a separator that is not constant between them. */
function between(separator: Value, others: readonly Value[], { fail }: Application): Value {
  if (isNullable(...others))
    return fail('concat_ws of values that may be NULL is converted only with a literal separator');
  const parts = others.flatMap((each, index) => (index === 0 ? [text(each)] : [text(separator), text(each)]));
  const joined = sql`concat(${joinSql(parts)})`;
  if (others.length > 1 || !separator.type.isNullable)
    return value('text', joined, separator.type.isNullable);
  return value('text', sql`if(${operand(separator)} IS NULL, NULL, ${joined})`);
}

/** concat_ws that is NULL if an argument is NULL. */
export function concatAll(application: Application): Value {
  const all = application.all().map((_, index) => part(application, index));
  if (all[0]?.type.kind === 'null') return value('text', 'CAST(NULL AS Nullable(String))');
  return value('text', sql`concatWithSeparator(${joinSql(all.map((each) => each.sql))})`, isNullable(...all));
}

/** concat_ws skips NULL. */
function concatWith(application: Application): Value {
  const [separator, ...others] = application.all().map((_, index) => part(application, index));
  if (separator === undefined) return value('text', "''", false);
  if (separator.type.kind === 'null') return value('text', 'CAST(NULL AS Nullable(String))');
  const all = [separator, ...others];
  const plain = sql`concatWithSeparator(${joinSql(all.map((each) => each.sql))})`;
  if (application.source(0).kind !== 'string') return between(separator, others, application);
  if (!isNullable(...others)) return value('text', plain, separator.type.isNullable);
  const items = others.map((each) =>
    each.type.kind === 'null' ? 'CAST(NULL AS Nullable(String))' : each.sql,
  );
  const array = sql`arrayFilter(x -> x IS NOT NULL, [${joinSql(items)}])`;
  return value(
    'text',
    sql`arrayStringConcat(arrayMap(x -> assumeNotNull(x), ${array}), ${separator.sql})`,
    separator.type.isNullable,
  );
}

export const CONCAT_FUNCTIONS: Rules = taking('any', { concat, concat_ws: concatWith }, 'decide');

type Side = 'both' | 'leading' | 'trailing';

const PLAIN: Readonly<Record<Side, string>> = {
  both: 'trimBoth',
  leading: 'trimLeft',
  trailing: 'trimRight',
};

/** Removes characters of a class. */
function without(own: Sql, side: Side, characters: string): Sql {
  const [start, end] = [`^[${characters}]+`, `[${characters}]+$`];
  if (side === 'both') return sql`replaceRegexpAll(${own}, ${quoteString(`${start}|${end}`)}, '')`;
  return sql`replaceRegexpOne(${own}, ${quoteString(side === 'leading' ? start : end)}, '')`;
}

/** The second argument is a set of characters, or a string. */
function trimmed(side: Side): Rule {
  return (application) => {
    const { traits, call } = application;
    const own = application.arg(0);
    const built = (trimmedText: Sql): Value =>
      value(own.type.kind === 'bytes' ? 'bytes' : 'text', trimmedText, false);
    const { spaces } = traits;
    if (call.args.length > 1) return built(trimmedSet(application, text(own), side));
    if (own.type.kind === 'bytes')
      return application.fail(`${call.name} of bytes requires the bytes to remove`);
    return built(spaces === undefined ? sql`${PLAIN[side]}(${text(own)})` : without(text(own), side, spaces));
  };
}

function trimmedSet(application: Application, own: Sql, side: Side): Sql {
  const { call, traits, fail } = application;
  const set = literalText(application, 1);
  if (set === null) return 'NULL';
  if (set === undefined) return fail(`${call.name} requires the characters as a string literal`);
  if (traits.trimsStrings && Array.from(set).length !== 1)
    return fail('trim of a string of several characters is not converted');
  if (set === '') return own;
  // Of other characters than those of ASCII, ClickHouse removes single bytes.
  if (/^[\x20-\x7e]+$/.test(set)) return sql`trim(${side.toUpperCase()} ${quoteString(set)} FROM ${own})`;
  const characters = Array.from(set).map((char) => `\\x{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  return without(own, side, characters.join(''));
}

export const TRIM_FUNCTIONS: Rules = taking('text', {
  trim: trimmed('both'),
  btrim: trimmed('both'),
  ltrim: trimmed('leading'),
  rtrim: trimmed('trailing'),
});
