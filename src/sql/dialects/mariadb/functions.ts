// Functions of MariaDB that mean something else in MySQL.
import { accepting, safely, taking } from '../function.ts';
import type { Application, OwnFunctions, Rule } from '../context.ts';
import { firstMatch, regexpReplace } from '../functions/regex.ts';
import { AGGREGATES } from '../functions/row-functions.ts';
import { positionFrom } from '../functions/search.ts';
import { cased } from '../functions/text.ts';
import { FUNCTIONS as MYSQL, paddedOrNull } from '../mysql/functions.ts';
import { sql, isKind, operand, text } from '../value.ts';
import { unixTimestamp } from '../time/functions.ts';
import { mayBeEmpty } from '../window.ts';

/** An empty expression replaces nothing. */
const replacePresent: Rule = (application) => {
  const own = regexpReplace(application);
  if (application.source(1).kind === 'string') return own;
  const by = application.arg(2);
  const isKnown = by.type.isNullable ? sql` AND ${text(by)} IS NOT NULL` : '';
  const isEmpty = sql`${text(application.arg(1))} = ''${isKnown}`;
  return { ...own, sql: sql`if(${isEmpty}, ${text(application.arg(0))}, ${own.sql})` };
};

/** An empty string is found at the positions of characters only. */
const locate: Rule = (application) => {
  const own = positionFrom(application);
  const [part, string, from] = [application.arg(0), application.arg(1), application.optional(2)];
  if (from === undefined || (part.literal ?? '') !== '') return own;
  return { ...own, sql: sql`(${own.sql} * (${operand(from)} <= lengthUTF8(${text(string)})))` };
};

/** Over a frame that becomes empty, MariaDB returns the bits of earlier rows if some values are NULL. */
const ofWholeFrames = (rule: Rule): Rule =>
  Object.assign((application: Application) => {
    const { call, context, fail } = application;
    const isOpen = call.over !== undefined && mayBeEmpty(call.over, context);
    if (isOpen && application.arg(0).type.isNullable)
      return fail(`${call.name} of NULL over a frame that can be empty is not converted`);
    return rule(application);
  }, rule);

/** Letters whose case depends on the version of MariaDB, which follows some version of Unicode, and what is between them. */
const OPEN_CASE =
  /[\u{180}\u{19a}\u{19b}\u{19e}\u{220}\u{23a}-\u{252}\u{25c}\u{261}\u{264}-\u{266}\u{26a}-\u{26c}\u{271}\u{27d}\u{282}\u{287}\u{289}\u{28c}\u{29d}\u{29e}\u{370}-\u{37f}\u{3cf}\u{3d7}-\u{3d9}\u{3f2}-\u{3ff}\u{48a}\u{48b}\u{4c0}\u{4c5}\u{4c6}\u{4c9}\u{4ca}\u{4cd}-\u{4cf}\u{4f6}\u{4f7}\u{4fa}-\u{52f}\u{10a0}-\u{1d8e}\u{1e9e}\u{1efa}-\u{1eff}\u{2132}-\u{214e}\u{2183}\u{2184}\u{2c00}-\u{abbf}\u{10400}-\u{1e943}]/gu;

const isOpenCase = (letter: string): boolean =>
  letter.toLowerCase() !== letter || letter.toUpperCase() !== letter;

const ofKnownCase = (rule: Rule): Rule =>
  Object.assign((application: Application) => {
    const { arg, call, fail } = application;
    const letter = (arg(0).literal?.match(OPEN_CASE) ?? []).find(isOpenCase);
    if (letter !== undefined) return fail(`${call.name} of ${letter} depends on the version of MariaDB`);
    return rule(application);
  }, rule);

/** The letters after a value that is no string are the bytes of those of the fill. */
const padsText = (rule: Rule): Rule =>
  Object.assign((application: Application) => {
    const { arg, optional, call, fail } = application;
    const isText = isKind(arg(0), 'text', 'bytes', 'json', 'null', 'unknown');
    if (!isText && /[^\0-\x7f]/.test(optional(2)?.literal ?? ''))
      return fail(
        `${call.name} of a value that is no string, with letters that are not ASCII`,
        'Cast it to char.',
      );
    return rule(application);
  }, rule);

const CASED = [
  ['lower', 'lower'],
  ['lcase', 'lower'],
  ['upper', 'upper'],
  ['ucase', 'upper'],
] as const;

export const FUNCTIONS: OwnFunctions = {
  values: {
    ...MYSQL.values,
    ...safely(
      taking('text', {
        regexp_replace: replacePresent,
        regexp_substr: firstMatch({ ofNone: "''" }),
      }),
    ),
    ...safely({
      ...taking('text', Object.fromEntries(CASED.map(([name, to]) => [name, ofKnownCase(cased(to))]))),
      rpad: padsText(accepting('text integer text', paddedOrNull('rightPad'))),
    }),
    ...safely(taking('text text integer', { locate, position: locate })),
    ...taking('time any', {
      // NULL of times outside of its range.
      unix_timestamp: unixTimestamp((own) => ({
        ...own,
        sql: sql`if(${operand(own)} BETWEEN 0 AND 2147483647.999999, ${own.sql}, NULL)`,
        type: { ...own.type, isNullable: true },
      })),
    }),
  },
  aggregates: {
    ...MYSQL.aggregates,
    ...Object.fromEntries(
      Object.entries(AGGREGATES)
        .filter(([name]) => name.startsWith('bit_'))
        .map(([name, rule]) => [name, ofWholeFrames(rule)]),
    ),
  },
};
