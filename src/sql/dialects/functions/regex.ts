// Functions of regular expressions.
import { quoteString } from '../../clickhouse/literal.ts';
import { regexOf, type Regex, type RegexShape } from '../pattern.ts';
import { sql, type Sql, arrayOfType, condition, text, TEXT, value, type Value, int } from '../value.ts';
import { taking, integer, literal } from '../function.ts';
import type { Application, Rule, Rules } from '../context.ts';

/** The pattern of a call; `flags` are those of PostgreSQL. */
function patternOf(application: Application, index: number, flags = ''): Regex {
  const { context, source } = application;
  const isCaseless = context.shared.traits.ignoresCase || flags.includes('i');
  if ([0, index].some((each) => application.arg(each).type.kind === 'bytes'))
    return application.fail('Regular expressions of bytes are not supported');
  const isWhole = application.traits.regexIsWhole && application.call.name.endsWith('like');
  return regexOf(application.arg(index), { written: source(index), isCaseless, isWhole, context });
}

/** A literal. */
interface KnownRegex extends Regex {
  readonly shape: RegexShape;
}

/** The functions that return parts of a match require a constant pattern in ClickHouse. */
function known(application: Application, index: number, flags = ''): KnownRegex {
  const { sql: own, shape } = patternOf(application, index, flags);
  if (shape !== undefined) return { sql: own, shape };
  return application.fail(`${application.call.name} requires the regular expression as a string literal`);
}

const regexpLike: Rule = (application) => {
  const own = application.arg(0);
  if (application.call.args.length > 2)
    return application.fail(`${application.call.name} is converted with two arguments`);
  const { sql: pattern } = patternOf(application, 1);
  return condition(sql`match(${text(own)}, ${pattern})`, false);
};

/** ClickHouse does not replace the empty expression. */
const searched = ({ sql: own, shape }: Regex): Sql =>
  own === "''" ? "'(?:)'" : shape === undefined ? sql`concat('(?:', ${own}, ')')` : own;

/** Marks that no text has: characters that Unicode reserves for use inside of programs. */
const [OPEN, MIDDLE, CLOSE] = ['\uFDD0', '\uFDD1', '\uFDD2'];

/** The text; a text in which an empty match could be inside of a character is an error. */
function ascii(own: Sql): Sql {
  return sql`concat(${own}, repeat('', 0 % (length(${own}) = lengthUTF8(${own}))))`;
}

/** Every match is replaced. */
function replaceAll(own: Sql, { sql: pattern, shape }: KnownRegex, by: Value, application: Application): Sql {
  const { literal: replacement } = by;
  const isSimple = !shape.canBeEmpty || replacement === '' || (!shape.canConsume && shape.hasAnchor);
  if (isSimple) return sql`replaceRegexpAll(${own}, ${pattern}, ${by.sql})`;
  if (application.context.shared.traits.ignoresCase)
    return application.fail('The replacement of a pattern that matches the empty string is not converted');
  if (replacement === undefined || /\\[1-9]/.test(replacement))
    return application.fail(
      'A pattern that matches the empty string is replaced only by a literal without groups',
    );
  if (!shape.canConsume) {
    const each = quoteString(`\\0${replacement}`);
    return sql`concat(${quoteString(replacement.replaceAll('\\\\', '\\'))}, replaceRegexpAll(${own}, '(?s:.)', ${each}))`;
  }
  if (!application.traits.skipsEmptyMatches)
    return sql`replaceRegexpAll(${ascii(own)}, ${pattern}, ${by.sql})`;
  const marked = sql`replaceRegexpAll(${ascii(own)}, ${pattern}, ${quoteString(`${OPEN}\\0${CLOSE}`)})`;
  const marks = quoteString(`${OPEN}([^${CLOSE}]*)${CLOSE}(?:${OPEN}${CLOSE})?`);
  return sql`replaceRegexpAll(${marked}, ${marks}, ${quoteString(replacement.replaceAll('\\0', '\\1'))})`;
}

/** A replacement in ClickHouse's form: `\1` is a group, `\\` a backslash. */
function replacementOf(application: Application, index: number, groups: number): Value {
  const written = application.optional(index);
  if (written === undefined) return { ...value('text', "''", false), literal: '' };
  const own = application.source(index);
  if (own.kind !== 'string') return written;
  const changed = application.traits.replacementOf?.(own.value, groups) ?? own.value;
  const wrong = changed.replaceAll(/\\[\\0-9]/g, (escape) => (Number(escape.slice(1)) > groups ? '\\?' : ''));
  if (wrong.includes('\\'))
    return application.fail(
      `A backslash in the replacement must be followed by another one, or by the number of a group (0 to ${groups})`,
    );
  return { ...value('text', quoteString(changed), false), literal: changed };
}

/** Every match, or the first one, of a pattern with flags is replaced. */
function replaced(application: Application, flags: string, isAll: boolean): Value {
  const own = text(application.arg(0));
  const pattern = patternOf(application, 1, flags);
  const { sql: searchedFor, shape } = pattern;
  const by = replacementOf(application, 2, shape?.groups.length ?? 9);
  if (!isAll) return value('text', sql`replaceRegexpOne(${own}, ${searched(pattern)}, ${by.sql})`, false);
  return value(
    'text',
    shape === undefined
      ? sql`replaceRegexpAll(${own}, ${searchedFor}, ${by.sql})`
      : replaceAll(own, { sql: searchedFor, shape }, by, application),
    false,
  );
}

export const regexpReplace: Rule = (application) =>
  application.call.args.length > 3
    ? application.fail('regexp_replace is converted with at most three arguments')
    : replaced(application, '', true);

/** regexp_replace(text, pattern, replacement, flags): the first match, unless the flags contain g. */
export const regexpReplaceFirst: Rule = (application) => {
  const { call, fail } = application;
  const flags = call.args.length > 3 ? literal(application, 3) : '';
  if (call.args.length > 4) return fail('regexp_replace is converted with at most four arguments');
  if (!/^[gi]*$/.test(flags)) return fail(`The flags ${flags} are not converted`);
  return replaced(application, flags, flags.includes('g'));
};

/** A position and the number of an occurrence: positive integer literals, 1 if they are omitted. */
function placeOf(application: Application, index: number): number {
  const { source, call, fail } = application;
  if (call.args.length <= index) return 1;
  const place = integer(source(index));
  return place === undefined || place < 1 || place > 1e9
    ? fail(`${call.name} requires a positive integer literal as its argument ${index + 1}`)
    : place;
}

/** BigQuery's regexp_extract: the group if there is one, NULL if the match is without the group. */
export const extracted: Rule = (application) => {
  const { call, fail } = application;
  const own = application.arg(0);
  const [position, occurrence] = [placeOf(application, 2), placeOf(application, 3)];
  const pattern = patternOf(application, 1);
  const { shape } = pattern;
  if (shape === undefined && call.args.length > 2) known(application, 1);
  if (shape !== undefined && shape.groups.length > 1)
    return fail(
      `${call.name} accepts a regular expression with at most one group`,
      'Write (?:…) for others.',
    );
  if (position > 1 && shape?.hasAnchor !== false)
    return fail(`A position is not supported with ^, $ and \\b`);
  const subject = position === 1 ? text(own) : sql`substringUTF8(${text(own)}, ${String(position)})`;
  const [group] = shape?.groups ?? [];
  const isEmptyMatch = group === undefined ? shape?.canBeEmpty !== false : group.canBeEmpty;
  if (isEmptyMatch && (group?.isOptional === true || occurrence > 1 || position > 1))
    return fail('A group or match that can be empty is not supported here');
  if (occurrence > 1)
    return value(
      'text',
      sql`nullIf(arrayElement(extractAll(${subject}, ${pattern.sql}), ${String(occurrence)}), '')`,
    );
  const match = sql`extract(${subject}, ${pattern.sql})`;
  if (!isEmptyMatch) return value('text', sql`nullIf(${match}, '')`);
  return value('text', sql`if(match(${subject}, ${pattern.sql}), ${match}, NULL)`);
};

/** BigQuery's regexp_extract_all: empty matches too, except at the end of a text. */
export const extractedAll: Rule = (application) => {
  const own = text(application.arg(0));
  const { sql: pattern, shape } = patternOf(application, 1);
  if (shape !== undefined && shape.groups.length > 1)
    return application.fail(
      'regexp_extract_all accepts a regular expression with at most one group',
      'Write (?:…) for others.',
    );
  const type = arrayOfType(TEXT);
  if (shape?.canBeEmpty !== true) return { sql: sql`extractAll(${own}, ${pattern})`, type };
  const part = shape.groups.length === 1 ? '\\1' : '\\0';
  const marked = sql`replaceRegexpAll(${ascii(own)}, ${searched({ sql: pattern, shape })}, ${quoteString(`${OPEN}\\0${MIDDLE}${part}${CLOSE}`)})`;
  const last = quoteString(`((?s:.))${OPEN}${MIDDLE}${CLOSE}$`);
  const inner = quoteString(`${MIDDLE}([^${CLOSE}]*)${CLOSE}`);
  return { sql: sql`extractAll(replaceRegexpOne(${marked}, ${last}, '\\\\1'), ${inner})`, type };
};

/** The first match. `groupArgument`: the argument that is the group. `ofNone`: what is returned without a match. */
export function firstMatch({ groupArgument, ofNone = 'NULL' }: FirstMatch = {}): Rule {
  return (application) => {
    const { call, source, fail } = application;
    const own = application.arg(0);
    if (call.args.length > (groupArgument === undefined ? 2 : 3))
      return fail(`${call.name} is converted with at most two arguments`);
    const group =
      groupArgument !== undefined && call.args.length > groupArgument ? integer(source(groupArgument)) : 0;
    const { sql: pattern, shape } = known(application, 1);
    if (group === undefined || group < 0 || group > shape.groups.length)
      return fail(`${call.name} requires the number of a group as an integer literal`);
    const subject = text(own);
    const chosen = shape.groups[group - 1];
    const match =
      group === 0 && shape.groups.length === 0
        ? sql`extract(${subject}, ${pattern})`
        : sql`regexpExtract(${subject}, ${pattern}, ${String(group)})`;
    if (ofNone === "''") return value('text', match, false);
    const canBeEmpty = chosen === undefined ? shape.canBeEmpty : chosen.canBeEmpty;
    if (!canBeEmpty) return value('text', sql`nullIf(${match}, '')`);
    if (chosen?.isOptional === true)
      return fail('A group that is optional and can be empty is not converted');
    return value('text', sql`if(match(${subject}, ${pattern}), ${match}, NULL)`);
  };
}

interface FirstMatch {
  readonly groupArgument?: number;
  readonly ofNone?: 'NULL' | "''";
}

const counted: Rule = (application) => {
  const own = application.arg(0);
  const { sql: pattern, shape } = known(application, 1);
  if (application.call.args.length > 2)
    return application.fail(`${application.call.name} is converted with two arguments`);
  if (shape.canBeEmpty) return application.fail('A pattern that matches the empty string is not counted');
  return int(sql`countMatches(${text(own)}, ${pattern})`, false);
};

/** PostgreSQL's substring(text from pattern): the first group, or the whole match. */
export function regexSubstring(application: Application): Value {
  const own = application.arg(0);
  const { sql: pattern, shape } = known(application, 1);
  const [group] = shape.groups;
  const canBeEmpty = group?.canBeEmpty ?? shape.canBeEmpty;
  const match = sql`extract(${text(own)}, ${pattern})`;
  if (!canBeEmpty) return value('text', sql`nullIf(${match}, '')`);
  if (group?.isOptional === true)
    return application.fail('A group that is optional and can be empty is not converted');
  return value('text', sql`if(match(${text(own)}, ${pattern}), ${match}, NULL)`);
}

export const REGEX_FUNCTIONS: Rules = taking('text', {
  regexp_replace: regexpReplace,
  regexp_substr: firstMatch(),
  regexp_like: regexpLike,
  rlike: regexpLike,
  regexp_contains: regexpLike,
  regexp_count: counted,
});
