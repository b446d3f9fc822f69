// Strings as arrays of their parts.
import { quoteString } from '../../sql/literal.ts';
import { byDialect, type Application, type Rules } from '../function.ts';
import { sql, type Sql } from '../sql.ts';
import { asText, literalText, unlessNull } from '../argument.ts';
import { text, value, type Value } from '../value.ts';
import { emptyArray } from './array-value.ts';

const PARTS = { element: { kind: 'text', isNullable: false } } as const;

function split(application: Application): Value {
  const [own, by] = [application.arg(0), application.optional(1)];
  return value('array', sql`splitByString(${by?.sql ?? "','"}, ${text(own)})`, false, PARTS);
}

/** BigQuery's split: of an empty separator into characters. */
function splitText(application: Application): Value {
  const { call, fail } = application;
  const own = asText(application, 0);
  const separator = call.args.length > 1 ? literalText(application, 1) : ',';
  if (own.type.kind === 'bytes') return fail('split of bytes is not supported');
  if (separator === undefined) return fail('split requires a separator as a string literal');
  if (separator === null || own.type.kind === 'null') return emptyArray({ kind: 'text', isNullable: true });
  const parts = (present: Sql = ''): Sql =>
    separator === ''
      ? sql`if(${present} = '', [''], extractAll(${present}, '(?s:.)'))`
      : sql`splitByString(${quoteString(separator)}, ${present})`;
  const absent = own.type.isNullable ? { absent: sql`(${text(own)} IS NULL)` } : {};
  return { ...value('array', unlessNull([own], '[]', parts), false, PARTS), ...absent };
}

/** PostgreSQL's string_to_array: an empty string has no parts, and one text among the parts is NULL. */
function parts(application: Application): Value {
  const [own, by, none] = [application.arg(0), application.arg(1), application.optional(2)];
  if (own.type.kind === 'null') return emptyArray({ kind: 'text', isNullable: true });
  const string = own.type.isNullable ? sql`ifNull(${text(own)}, '')` : text(own);
  const all = sql`if(${string} = '', [], ${separated(string, by, application)})`;
  const absent = own.type.isNullable ? { absent: sql`(${text(own)} IS NULL)` } : {};
  if (none === undefined || none.type.kind === 'null')
    return { ...value('array', all, false, PARTS), ...absent };
  const element = { kind: 'text', isNullable: true } as const;
  return {
    ...value('array', sql`arrayMap(x -> nullIf(x, ${none.sql}), ${all})`, false, { element }),
    ...absent,
  };
}

function separated(string: Sql, by: Value, { fail, call }: Application): Sql {
  if (by.type.kind === 'null') return sql`extractAll(${string}, '(?s).')`;
  if (by.literal === '') return sql`[${string}]`;
  return by.literal === undefined
    ? fail(`The separator of ${call.name} is supported only if it is a literal`)
    : sql`splitByString(${by.sql}, ${string})`;
}

export const SPLIT_FUNCTIONS: Rules = {
  split: byDialect({ bigquery: splitText, others: split }),
  string_to_array: parts,
  regexp_split_to_array: ({ arg }) =>
    value('array', sql`splitByRegexp(${arg(1).sql}, ${arg(0).sql})`, false, PARTS),
};
