// Strings as arrays of their parts.
import { quoteString } from '../../clickhouse/literal.ts';
import { taking, literalText, unlessNull } from '../function.ts';
import type { Application, Rules } from '../context.ts';
import { sql, type Sql, text, value, type Value } from '../value.ts';
import { emptyArray } from './array-value.ts';

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
