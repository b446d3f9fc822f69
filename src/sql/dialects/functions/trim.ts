// trim, ltrim and rtrim.
import { quoteString } from '../../clickhouse/literal.ts';
import { taking, literalText } from '../function.ts';
import type { Application, Rule, Rules } from '../context.ts';
import { sql, type Sql, text, value, type Value } from '../value.ts';

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
