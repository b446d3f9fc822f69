// Strings that fit the function that a parameter is an argument of, or the type that it is cast to.
import type { Cursor } from '../sql/cursor.ts';
import type { BoundQuery } from '../sql/placeholders.ts';

const UUID = '00000000-0000-0000-0000-000000000000';
const MOMENT = '2024-01-01 00:00:00';
const ZONE = 'UTC';
const UNIT = 'day';

/** By function, in lower case: a string for each argument, the last one also for those that follow. Undefined: any. */
const BY_FUNCTION: readonly (readonly [name: RegExp, ...texts: (string | undefined)[]])[] = [
  [/uuid/, UUID],
  [/ipv6/, '::1'],
  [/cidr|ipaddressinrange/, '127.0.0.1', '127.0.0.0/8'],
  [/ipv4/, '127.0.0.1'],
  [/^date_?(?:trunc|diff|name|add|sub)|^age$|^timestamp_?(?:add|sub|diff)/, UNIT, ZONE],
  [/^formatdatetime/, undefined, '%F', ZONE],
  [/^parsedatetime(?:insyntax|injoda)?(?:or|$)/, MOMENT, '%F %T', ZONE],
  [/^todate|datetime|^tounixtimestamp|^snowflake/, MOMENT, ZONE],
  [
    /^to(?:startof|timezone|last|monday|yyyy|year|month|week|day|hour|minute|second|relative)|^now|^today/,
    MOMENT,
    ZONE,
  ],
  [/^to(?:u?int|float|decimal|interval)/, '1'],
  [/^json_|jsonpath/, undefined, '$.a'],
  [/^jsonextract$/, undefined, 'String'],
  [/^splitby/, ',', undefined],
  [/^sequence(?:match|count)/, '(?1)(?2)', undefined],
  [/^(?:try)?base64/, 'YQ=='],
  [/^arrayreduce/, 'sum', undefined],
  [/^(?:regexp)?extract/, undefined, '(a)'],
];

/** By the beginning of a type, in lower case. */
const BY_TYPE: readonly (readonly [type: RegExp, text: string])[] = [
  [/^uuid/, UUID],
  [/^ipv4/, '127.0.0.1'],
  [/^ipv6/, '::1'],
  [/^date/, MOMENT],
  [/^u?int|^float|^decimal/, '1'],
  [/^bool/, 'true'],
];

/** How many tokens before a parameter are searched for the function around it, and uses of a parameter. */
const REACH = 200;
const MAX_USES = 5;

/** The strings for the uses of a parameter, without duplicates; none if nothing is known about them. */
export function fittingTexts(query: Cursor, uses: BoundQuery['uses'], name: string): readonly string[] {
  const own = uses.filter((use) => use.name === name).slice(0, MAX_USES);
  const texts = own.flatMap((use) => {
    const index = indexAt(query, use.boundStart);
    return textByType(castType(query, index)) ?? textByFunction(query, index) ?? [];
  });
  return [...new Set(texts)];
}

/** The index of the token that begins at an offset. */
function indexAt(query: Cursor, offset: number): number {
  let [low, high] = [0, query.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (query.start(middle) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `@p::Type`, `CAST(@p AS Type)` and `CAST(@p, 'Type')`. */
function castType(query: Cursor, index: number): string {
  const next = query.after(index);
  if (query.kind(next) === '::' || query.word(next) === 'AS') return query.text(next + 1);
  const isCast = query.word(index - 2) === 'CAST' && query.kind(next) === ',';
  return isCast ? query.text(next + 1).replace(/^'/, '') : '';
}

function textByType(type: string): string | undefined {
  return BY_TYPE.find(([pattern]) => pattern.test(type.toLowerCase()))?.[1];
}

function textByFunction(query: Cursor, index: number): string | undefined {
  const { name, position } = argumentAt(query, index);
  const [, ...texts] = BY_FUNCTION.find(([pattern]) => pattern.test(name)) ?? [undefined];
  return texts[Math.min(position, texts.length - 1)];
}

/** The function, in lower case, that a token is in an argument of, and the 0-based position of that argument. */
export function argumentAt(
  query: Cursor,
  index: number,
): { readonly name: string; readonly position: number } {
  let [depth, position] = [0, 0];
  for (let at = index - 1; at >= Math.max(0, index - REACH); at--) {
    const kind = query.kind(at);
    if (kind === ')' || kind === ']') depth++;
    else if (kind === ',' && depth === 0) position++;
    else if (kind === '(' || kind === '[') {
      if (depth-- > 0) continue;
      return { name: query.name(at - 1)?.toLowerCase() ?? '', position };
    }
  }
  return { name: '', position };
}
