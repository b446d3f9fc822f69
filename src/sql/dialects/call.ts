// Applies the rule of a function to a call: an argument or a modifier that the rule has not read is an error at its place.
import type { Call, Expression } from './tree.ts';
import { recorded, recordedList, unreadOf } from './consume.ts';
import { unconverted, type Context } from './context.ts';
import type { Application, Rule } from './function.ts';
import { settled, type Value } from './value.ts';

/** What the parts of a call are called, beside its arguments. */
const PARTS: Readonly<Record<string, string>> = {
  isStar: '*',
  isSafe: 'SAFE.',
  isDistinct: 'DISTINCT',
  nulls: 'IGNORE NULLS or RESPECT NULLS',
  having: 'HAVING',
  orderBy: 'ORDER BY',
  limit: 'LIMIT',
  over: 'OVER',
  filter: 'FILTER',
  withinGroup: 'WITHIN GROUP',
  separator: 'SEPARATOR',
};

/**
 * The value of a call by a rule.
 * @throws UnconvertedError for what the rule has not read
 */
export function applied<W extends Context>(call: Call, context: W, rule: Rule<W>): Value {
  const { application, check } = applicationOf(call, context);
  const result = rule(application);
  check();
  return result;
}

/** A call whose arguments are written when a rule asks for them; `check` throws for what was not asked for. */
export function applicationOf<W extends Context>(
  call: Call,
  context: W,
): { readonly application: Application<W>; readonly check: () => void } {
  const { at, name, args } = call;
  // Arguments are recorded one by one.
  const read = new Set<string>(['name', 'args']);
  const readArguments = new Set<number>();
  const written = new Map<number, Value>();
  const source = (index: number): Expression => {
    readArguments.add(index);
    return args[index] ?? unconverted(at, 'function', `${name} requires more arguments`);
  };
  const arg = (index: number): Value => {
    const known = written.get(index) ?? settled(context.write(source(index), context));
    readArguments.add(index);
    written.set(index, known);
    return known;
  };
  const application: Application<W> = {
    call: recorded({ ...call, args: recordedList(args, readArguments) }, read),
    context,
    at,
    traits: context.shared.traits,
    source,
    arg,
    optional: (index) => (args[index] === undefined ? undefined : arg(index)),
    all: () => args.map((_, index) => arg(index)),
    fail: (message, hint) => unconverted(at, 'function', message, hint),
  };
  const check = (): void => {
    const extra = args.findIndex((_, index) => !readArguments.has(index));
    const place = args[extra];
    if (place !== undefined)
      unconverted(place.at, 'function', `${name} does not accept this argument (number ${extra + 1})`);
    const unread = unreadOf(call, read);
    if (unread !== undefined)
      unconverted(unread.at, 'function', `${name} does not accept ${PARTS[unread.part] ?? unread.part} here`);
  };
  return { application, check };
}
