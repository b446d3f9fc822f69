// The one time range of an endpoint: that of its log view is that of the parameters that bound its rows.
import type { Endpoint } from '../service/listing.ts';
import { ALL_LOGS, type Address } from '../state/address.ts';
import { pairRange } from '../form/time-pair.ts';
import { boundsAt, readRange, writeRange, type TimeRange } from '../time-range/range.ts';
import { boundText } from './questions.ts';
import type { LogView } from './view.ts';

const LAST_HOUR: TimeRange = { kind: 'relative', from: 'now-1h', to: 'now' };

/** The parameters whose values are the range. */
export function heldBy({ from, to }: Pick<LogView, 'from' | 'to'>): readonly string[] {
  return [from, to].flatMap((name) => name ?? []);
}

/** The range that is shown: unless one was chosen here, that of the parameters. */
export function rangeShown(endpoint: Endpoint, view: LogView, { logs, parameters }: Address): TimeRange {
  const { range } = logs ?? ALL_LOGS;
  const [from, to] = [view.from, view.to].map((name) =>
    endpoint.parameters.find((parameter) => parameter.name === name),
  );
  const held = from && to && pairRange({ from, to }, parameters);
  return (range === ALL_LOGS.range ? held : undefined) ?? readRange(range) ?? LAST_HOUR;
}

/** The address with another range. */
export function withRange({ logs, parameters }: Address, view: LogView, range: TimeRange): Partial<Address> {
  return {
    logs: { ...(logs ?? ALL_LOGS), range: writeRange(range) },
    parameters: omit(parameters, heldBy(view)),
  };
}

export function omit(values: Address['parameters'], names: readonly string[]): Address['parameters'] {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}

/** The parameters with the range that the log view shows; as they are without one that was chosen. */
export function parametersOf(
  endpoint: Endpoint,
  view: LogView,
  { address, now }: { readonly address: Address; readonly now: number },
): Address['parameters'] {
  const range = rangeShown(endpoint, view, address);
  if (writeRange(range) === ALL_LOGS.range) return address.parameters;
  const bounds = boundsAt(range, now);
  const textOf = (end: 'from' | 'to', name: string): string =>
    range[end].startsWith('now') ? range[end] : boundText(endpoint, name, { ms: bounds[end], end });
  return {
    ...address.parameters,
    ...(view.from === undefined ? {} : { [view.from]: textOf('from', view.from) }),
    ...(view.to === undefined ? {} : { [view.to]: textOf('to', view.to) }),
  };
}
