// Strings that fit the function that a parameter is an argument of, or the type that it is cast to.
import type { BoundQuery } from '../../sql/clickhouse/placeholders.ts';
import type { Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { argumentAt, nodesAround, textOf } from '../../sql/clickhouse/tree/visit.ts';
import { tokenAt } from '../../sql/clickhouse/tree/tokens.ts';

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

/** Uses of a parameter. */
const MAX_USES = 5;

/** The strings for the uses of a parameter, without duplicates; none if nothing is known about them. */
export function fittingTexts(tree: Tree, uses: BoundQuery['uses'], name: string): readonly string[] {
  const own = uses.filter((use) => use.name === name).slice(0, MAX_USES);
  const texts = own.flatMap((use) => {
    const token = tokenAt(tree, use.boundStart);
    return textByType(castType(tree, token)) ?? textByFunction(tree, token) ?? [];
  });
  return [...new Set(texts)];
}

/** `@p::Type`, `CAST(@p AS Type)` and `CAST(@p, 'Type')`. */
function castType(tree: Tree, token: number): string {
  const parent = nodesAround(tree.root, token).at(-2);
  if (parent?.kind === 'cast') return textOf(tree, parent.parts[1] ?? parent);
  const { name, call } = argumentAt(tree, token);
  const [, type] = call?.kind === 'call' && parent?.kind === 'arguments' ? parent.parts : [];
  return name === 'cast' && type !== undefined ? textOf(tree, type).replace(/^'/, '') : '';
}

function textByType(type: string): string | undefined {
  return BY_TYPE.find(([pattern]) => pattern.test(type.toLowerCase()))?.[1];
}

function textByFunction(tree: Tree, token: number): string | undefined {
  const { name, position } = argumentAt(tree, token);
  const [, ...texts] = BY_FUNCTION.find(([pattern]) => pattern.test(name)) ?? [undefined];
  return texts[Math.min(position, texts.length - 1)];
}
