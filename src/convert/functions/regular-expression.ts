// Functions of regular expressions.
import { quoteString } from '../../sql/literal.ts';
import { integer, literal, type Application, type Rule } from '../../dialects/function.ts';
import { sql, type Sql } from '../../dialects/sql.ts';
import { condition, text, value, type Value } from '../../dialects/value.ts';
import { checkedRegex } from '../write/pattern.ts';
import { string } from './text-argument.ts';

/** A pattern argument as a literal for RE2. */
export function pattern(application: Application, index: number, flags = ''): string {
  const written = checkedRegex(literal(application, index), application.at);
  const isMysql = application.dialect === 'mysql' || application.dialect === 'mariadb';
  return quoteString(`${isMysql || flags.includes('i') ? '(?i)' : ''}${written}`);
}

/** Replacements in ClickHouse are written \1; in Trino and BigQuery $1 or \1. */
function replacement(application: Application, index: number): Sql {
  const each = application.optional(index);
  if (each === undefined) return "''";
  if (each.literal === undefined) return each.sql;
  return quoteString(
    application.dialect === 'trino' ? each.literal.replaceAll(/\$(\d)/g, '\\$1') : each.literal,
  );
}

export function regexpReplace(application: Application): Value {
  const { dialect, call } = application;
  const own = string(application, 0);
  const flags = dialect === 'postgresql' && call.args.length > 3 ? literal(application, 3) : '';
  if (dialect !== 'postgresql' && call.args.length > 3)
    return application.fail('regexp_replace is converted with at most three arguments');
  if (!/^[gi]*$/.test(flags)) return application.fail(`The flags ${flags} are not converted`);
  const isAll = dialect !== 'postgresql' || flags.includes('g');
  return value(
    'text',
    sql`replaceRegexp${isAll ? 'All' : 'One'}(${text(own)}, ${pattern(application, 1, flags)}, ${replacement(application, 2)})`,
    own.type.isNullable,
  );
}

/** The first match; NULL without one, in Redshift and MariaDB an empty string. */
export function regexpMatch(group: number): Rule {
  return (application) => {
    const { dialect, call } = application;
    const own = string(application, 0);
    const index =
      dialect === 'trino' && call.args.length > 2 ? (integer(application.source(2)) ?? -1) : group;
    if (index < 0 || (dialect !== 'trino' && call.args.length > 2))
      return application.fail(`${call.name} is converted with at most two arguments`);
    const written = literal(application, 1);
    const hasGroup = /(?<!\\)\((?!\?)/.test(written);
    const subject = text(own);
    const isEmpty = dialect === 'redshift' || dialect === 'mariadb';
    // extract returns the first group if there is one.
    const whole =
      index === 0 && hasGroup
        ? sql`regexpExtract(${subject}, ${pattern(application, 1)}, 0)`
        : index > 0 && hasGroup
          ? sql`regexpExtract(${subject}, ${pattern(application, 1)}, ${String(index)})`
          : sql`extract(${subject}, ${pattern(application, 1)})`;
    if (isEmpty) return value('text', whole, own.type.isNullable);
    return value('text', sql`if(match(${subject}, ${pattern(application, 1)}), ${whole}, NULL)`);
  };
}

export const regexpLike: Rule = (application) => {
  const { dialect, call } = application;
  const own = string(application, 0);
  if (call.args.length > 2) return application.fail(`${call.name} is converted with two arguments`);
  const written = literal(application, 1);
  const isWhole = dialect === 'snowflake';
  return condition(
    sql`match(${text(own)}, ${isWhole ? quoteString(`^(?:${checkedRegex(written, application.at)})$`) : pattern(application, 1)})`,
    own.type.isNullable,
  );
};
