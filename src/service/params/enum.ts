// The members of an Enum type, numbered as ClickHouse numbers them.
import { stringValue } from '../../sql/clickhouse/string-literal.ts';
import type { TypeArgument } from '../../sql/types/type.ts';

const LARGEST: ReadonlyMap<string, number> = new Map([
  ['Enum8', 127],
  ['Enum16', 32_767],
  ['Enum', 32_767],
]);

interface Members {
  readonly type: 'Enum8' | 'Enum16';
  readonly list: readonly (readonly [name: string, value: number])[];
}

/** The members of `Enum8('a' = 1, 'b')`: one without a number has that of the previous one plus 1, the first 1. Or a message. */
export function enumMembers(args: readonly TypeArgument[], type: string): Members | string {
  const list: [string, number][] = [];
  for (const argument of args) {
    const name = nameOf(argument);
    if (name === undefined || /\p{Surrogate}/u.test(name))
      return 'an Enum has names in single quotes, optionally with numbers';
    const value = argument.kind === 'enum' ? Number(argument.value) : (list.at(-1)?.[1] ?? 0) + 1;
    if (list.some(([other]) => other === name)) return `the Enum has the name ${name.slice(0, 60)} twice`;
    if (list.some(([, other]) => other === value)) return `the Enum has the number ${value} twice`;
    list.push([name, value]);
  }
  const max = LARGEST.get(type) ?? 0;
  const bad = list.find(([, value]) => !Number.isInteger(value) || value > max || value < -max - 1);
  if (bad !== undefined) return `the numbers of an ${type} are from ${-max - 1} to ${max}`;
  if (list.length === 0) return 'an Enum has at least one name';
  const isSmall = list.every(([, value]) => value >= -128 && value <= 127);
  return { type: type === 'Enum16' || !isSmall ? 'Enum16' : 'Enum8', list };
}

function nameOf(argument: TypeArgument): string | undefined {
  if (argument.kind === 'enum') return argument.name;
  return argument.kind === 'literal' ? stringValue(argument.source) : undefined;
}
