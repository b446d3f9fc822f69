// Parses budgets in tokens and endpoint files.
import { parseBytes } from './bytes.ts';

/** What a budget counts: bytes read from tables, or milliseconds of the engine. */
export type BudgetResource = 'read' | 'time';

/** As written: `{ read: 200GiB/day, time: 600s/hour }`. */
export type BudgetSpec = { readonly [Resource in BudgetResource]?: string };

/** An allowance of `limit` bytes or milliseconds per `window` seconds. */
export interface Budget {
  readonly resource: BudgetResource;
  readonly limit: number;
  readonly window: number;
}

const WINDOWS: Readonly<Record<string, number>> = { min: 60, h: 3600, hour: 3600, day: 86_400 };
const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

/** The budgets of a declaration, whose format has already been checked by the schema; empty if there is none. */
export function parseBudgets(spec: BudgetSpec | undefined): readonly Budget[] {
  const { read, time } = spec ?? {};
  return [
    ...(read === undefined ? [] : [budgetOf('read', read, parseBytes)]),
    ...(time === undefined ? [] : [budgetOf('time', time, milliseconds)]),
  ];
}

function budgetOf(resource: BudgetResource, text: string, parse: (amount: string) => number): Budget {
  const [amount = '', window = ''] = text.split('/');
  return { resource, limit: parse(amount), window: WINDOWS[window] ?? 60 };
}

function milliseconds(text: string): number {
  const [, count = '', unit = ''] = /^(\d+) ?([a-z]+)$/.exec(text) ?? [];
  return Number(count) * (SECONDS[unit] ?? 1) * 1000;
}

/** For messages: `200 GiB per day`, `600 s per hour`, or `none`. */
export function budgetText(budget: Budget | undefined): string {
  if (budget === undefined) return 'none';
  const { resource, limit, window } = budget;
  const amount = resource === 'read' ? bytesText(limit) : `${limit / 1000} s`;
  return `${amount} per ${WINDOW_NAMES.get(window) ?? `${window} s`}`;
}

const UNITS: readonly (readonly [name: string, size: number])[] = [
  ['TiB', 2 ** 40],
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
];

/** In the largest unit that divides it: exact. */
function bytesText(bytes: number): string {
  const [name, size] = UNITS.find((unit) => bytes % unit[1] === 0) ?? ['bytes', 1];
  return `${bytes / size} ${name}`;
}

const WINDOW_NAMES: ReadonlyMap<number, string> = new Map([
  [60, 'minute'],
  [3600, 'hour'],
  [86_400, 'day'],
]);
