// Positions of a string in another one.
import { caseless } from '../equality.ts';
import { taking, characters, signedInteger, unlessNull } from '../function.ts';
import type { Application, Rule, Rules } from '../context.ts';
import { sql, isNullable, operand, text, type Value } from '../value.ts';

/** The position of the argument `inner` in the argument `outer`, from 1; `most`: the number of arguments, the last one a start. */
function position(inner: number, outer: number, most = 2): Rule {
  return (application) => {
    const { context, call, fail } = application;
    if (call.args.length > most) return fail(`${call.name} is converted with at most ${most} arguments`);
    const [needle, haystack] = [application.arg(inner), application.arg(outer)];
    const from = application.optional(2);
    const isPlain = (signedInteger(call.args[2]) ?? 0) > 0;
    const start =
      from === undefined
        ? ''
        : isPlain
          ? sql`, ${from.sql}`
          : sql`, toUInt64(if(${operand(from)} < 0, 0, ${from.sql}))`;
    const [a, b] = [
      caseless(haystack, needle, context, 'searched'),
      caseless(needle, haystack, context, 'searched'),
    ];
    const name = haystack.type.kind === 'bytes' ? 'position' : 'positionUTF8';
    const own = sql`${name}(${text(a)}, ${text(b)}${start})`;
    const isOpen = from !== undefined && context.shared.traits.ignoresCase && !isPlain;
    return characters(
      isOpen ? sql`(${own} * (${operand(from)} >= 1))` : own,
      isNullable(needle, haystack, from ?? needle),
    );
  };
}

/** No text is longer. */
const LARGEST = 1e9;

/** Where matches are: those that overlap count. */
interface SearchedOccurrence {
  /** The first position of a search forwards; a negative one from the end, of a search backwards. */
  readonly from: number;
  readonly occurrence: number;
}

/** The position of an occurrence. */
function occurrenceOf(application: Application, { from, occurrence }: SearchedOccurrence): Value {
  const [own, part] = [application.arg(0), application.arg(1)];
  const nullable = isNullable(own, part);
  const suffix = own.type.kind === 'bytes' ? '' : 'UTF8';
  if (from > 0 && occurrence === 1) {
    const start = from === 1 ? '' : `, ${from}`;
    return characters(sql`position${suffix}(${text(own)}, ${text(part)}${start})`, nullable);
  }
  const built = unlessNull([own, part], 'NULL', (present = '', searched = '') => {
    const isHere = sql`substring${suffix}(${present}, i, length${suffix}(${searched})) = ${searched}`;
    const length = sql`length${suffix}(${present})`;
    const range =
      from > 0
        ? sql`range(${String(from)}, ${length} + 1 + empty(${searched}))`
        : sql`range(1, ${length} + 2 - ${String(-from)} + empty(${searched}))`;
    const places = sql`arrayFilter(i -> ${isHere}, ${range})`;
    const ordered = from > 0 ? places : sql`arrayReverse(${places})`;
    return sql`arrayElement(${ordered}, ${String(occurrence)})`;
  });
  return characters(built, nullable);
}

/** instr(text, part, position, occurrence). */
export const instrFrom: Rule = (application) => {
  const { source, call, fail } = application;
  const [from, occurrence] = [2, 3].map((index) =>
    call.args.length > index ? signedInteger(source(index)) : 1,
  );
  if (
    from === undefined ||
    from === 0 ||
    occurrence === undefined ||
    occurrence < 1 ||
    Math.max(Math.abs(from), occurrence) > LARGEST
  )
    return fail('instr requires a position (not 0) and an occurrence (from 1) as integer literals');
  return occurrenceOf(application, { from, occurrence });
};

/** strpos with the number of an occurrence, which counts from the end if it is negative. */
export const strposOf: Rule = (application) => {
  const { source, call, fail } = application;
  if (call.args.length < 3) return position(1, 0)(application);
  const instance = signedInteger(source(2));
  if (instance === undefined || instance === 0 || Math.abs(instance) > LARGEST)
    return fail('strpos is converted with the number of an occurrence as an integer literal (not 0)');
  return occurrenceOf(application, { from: instance > 0 ? 1 : -1, occurrence: Math.abs(instance) });
};

/** position(part, text, start). */
export const positionFrom = position(0, 1, 3);

export const SEARCH_FUNCTIONS: Rules = taking('text text integer', {
  strpos: position(1, 0),
  position: positionFrom,
  charindex: positionFrom,
  locate: positionFrom,
  instr: position(1, 0),
});
