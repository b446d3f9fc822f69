// Patterns of times of BigQuery. Source: BigQuery, Format elements.
import { unconverted, type Rule } from '../context.ts';
import { literal } from '../function.ts';
import { time, zoneArgument, type TimeKind } from '../time/argument.ts';
import { formatted, parsed } from '../time/text.ts';
import {
  CLOCK,
  CLOCK12,
  e,
  joined,
  piecesOf,
  STRFTIME,
  t,
  type Element,
  type Letters,
  type Piece,
} from '../time/format.ts';

const AMERICAN = joined(['month', 'day', 'year2'], '/');

const LETTERS: Letters = {
  ...STRFTIME, Y: 'year', F: joined(['year', 'month', 'day'], '-'), G: 'iso_year', C: 'century', Q: 'quarter', J: 'iso_day_of_year', h: 'month_short', b: 'month_short', B: 'month_name',
  a: 'day_short', A: 'day_name', D: AMERICAN, x: AMERICAN, X: CLOCK, r: CLOCK12, n: [t('\n')], t: [t('\t')], z: 'offset', Z: 'zone',
  c: [e('day_short'), t(' '), e('month_short'), t(' '), e('day_space'), t(' '), ...CLOCK, t(' '), e('year')],
}; // prettier-ignore

/** Letters that are accepted after E and O, which make no difference. */
const MODIFIED: Readonly<Record<string, string>> = { E: 'CcXxYy', O: 'deHIMmSUuVWwy' };

const OF_ZONES: ReadonlySet<Element> = new Set(['offset', 'offset_colon', 'zone']);
const OF_CLOCKS = /^(?:hour|minute|second|micros|half|epoch)/;

/** Returns whether a type has the element. */
function isOf(element: Element, kind: TimeKind): boolean {
  if (kind === 'timestamp') return true;
  return !OF_ZONES.has(element) && !(kind === 'date' && OF_CLOCKS.test(element));
}

/** The elements of a type; others are text, as in BigQuery. */
function patternOf(pattern: string, kind: TimeKind): readonly Piece[] {
  return [...pattern.matchAll(/%E([*0-9])S|%(E4Y|4Y|Ez)|%([EO]?)(.)|[^%]+|%/gsu)].flatMap((match) => {
    const [whole, digits, special, modifier = '', letter] = match;
    const found =
      digits === undefined
        ? special === undefined
          ? ofLetter(letter, modifier)
          : SPECIAL[special]
        : ofDigits(digits);
    const pieces = found === undefined ? [] : piecesOf(found);
    const areOfType =
      pieces.length > 0 && pieces.every((piece) => 'text' in piece || isOf(piece.element, kind));
    return areOfType ? pieces : [{ text: whole, isUnknown: whole.startsWith('%') }];
  });
}

const SPECIAL: Readonly<Record<string, Element>> = { E4Y: 'year4', '4Y': 'year4', Ez: 'offset_colon' };

function ofDigits(digits: string): Element {
  if (digits === '*') return 'seconds';
  return digits === '0' ? 'second' : (`seconds ${digits}` as Element); // 1 to 9
}

function ofLetter(letter: string | undefined, modifier: string): Element | readonly Piece[] | undefined {
  if (letter === undefined) return undefined;
  return modifier === '' || MODIFIED[modifier]?.includes(letter) === true ? LETTERS[letter] : undefined;
}

/** Elements that are written in a pattern, although the type has none of them. */
function foreignElements(pattern: string, kind: TimeKind): boolean {
  const all = patternOf(pattern, 'timestamp');
  return all.some((piece) => 'element' in piece && !isOf(piece.element, kind));
}

/** format_date, format_datetime and format_timestamp. */
export function formatOf(kind: TimeKind): Rule {
  return (application) => {
    const own = time(application, 1, kind);
    const shown =
      own.type.kind === 'date' || own.type.kind === 'datetime'
        ? own.type.kind
        : kind === 'date'
          ? 'timestamp'
          : kind;
    return formatted(own, patternOf(literal(application, 0), shown), zoneArgument(application, 2));
  };
}

/** parse_date, parse_datetime and parse_timestamp. */
export function parseOf(kind: TimeKind): Rule {
  return (application) => {
    const pattern = literal(application, 0);
    if (foreignElements(pattern, kind))
      return unconverted(
        application.source(0).at,
        'syntax',
        `The pattern has elements that a ${kind.toUpperCase()} does not have`,
      );
    const pieces = patternOf(pattern, kind);
    const unknown = pieces.find((piece) => 'text' in piece && piece.isUnknown === true);
    if (unknown !== undefined && 'text' in unknown)
      return unconverted(application.source(0).at, 'type', `${unknown.text} is not supported in a pattern`);
    const zone = zoneArgument(application, 2);
    return parsed(application, { of: 1, pieces, kind, isSafe: application.call.isSafe, zone });
  };
}
