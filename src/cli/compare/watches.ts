// Compares the watches of two revisions of a file, by their names.
import type { Endpoint } from '../../service/endpoints/endpoint.ts';
import type { WatchPolicy } from '../../service/endpoints/watches.ts';
import type { ContractChange } from './contract.ts';
import type { PolicyCode } from './policy-changes.ts';

type WatchChange = ContractChange<PolicyCode>;

const PATH = ['watch'];

export function* compareWatches(
  { watches: base }: Pick<Endpoint, 'watches'>,
  { watches: head }: Pick<Endpoint, 'watches'>,
): Generator<WatchChange> {
  for (const is of head) {
    const was = base.find(({ name }) => name === is.name);
    if (was === undefined)
      yield {
        code: 'watch.added',
        message: `the watch ${is.name} looks every ${is.every / 1000} s, and sends messages to ${is.notify.join(', ')}`,
        path: PATH,
      };
    else yield* compareWatch(was, is);
  }
  for (const { name } of base)
    if (!head.some((each) => each.name === name))
      yield { code: 'watch.removed', message: `the watch ${name} is gone`, path: PATH };
}

function* compareWatch(was: WatchPolicy, is: WatchPolicy): Generator<WatchChange> {
  const change = (code: PolicyCode, message: string): WatchChange => ({
    code,
    message: `the watch ${is.name} ${message}`,
    path: PATH,
  });
  if (was.as !== is.as) yield change('watch.key_changed', `runs as ${is.as}, was ${was.as}`);
  for (const channel of is.notify.filter((each) => !was.notify.includes(each)))
    yield change('watch.channel_added', `sends its messages to ${channel} as well`);
  for (const channel of was.notify.filter((each) => !is.notify.includes(each)))
    yield change('watch.channel_removed', `no longer sends its messages to ${channel}`);
  if (is.every < was.every)
    yield change('watch.every_lowered', `looks every ${is.every / 1000} s, was ${was.every / 1000} s`);
  if (restOf(was) !== restOf(is)) yield change('watch.changed', 'has another condition, text or times');
}

function restOf(watch: WatchPolicy): string {
  const { as: _as, notify: _notify, every: _every, condition, message, ...rest } = watch;
  return JSON.stringify([rest, condition.text, message.text]);
}
