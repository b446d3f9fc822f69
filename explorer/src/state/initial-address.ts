// The initial state of an endpoint: its first example filled in, and starter queries.
import type { Endpoint, Example, Parameter } from '../service/listing.ts';
import { sandboxOf } from '../service/listing.ts';
import { isNested, printJson, type Json } from '../service/json.ts';
import type { Address } from './address.ts';

export type InitialAddress = Pick<Address, 'endpoint' | 'parameters' | 'texts'>;

export function initialAddress(endpoint: Endpoint): InitialAddress {
  const example = endpoint.examples.find(({ sql, lql }) => sql === undefined && lql === undefined);
  return {
    endpoint: endpoint.name,
    parameters: { ...defaultsOf(endpoint), ...valuesOf(example) },
    texts: starterQueries(endpoint),
  };
}

/** With fewer requests left, none is made that the visitor did not ask for. */
const MIN_REQUESTS = 20;

/**
 * Returns whether the first example may run although the visitor did not ask for it: there is one, it is of the saved query, and
 * neither a budget nor a low rate limit is spent. `left` is how many requests the key may still make, if the service says so.
 */
export function mayRunUnasked({ examples, limits, deprecated }: Endpoint, left: number | undefined): boolean {
  const [rate] = (limits.rate ?? '').split('/').map(Number);
  const isCheap = limits.rate === null || (rate ?? 0) >= MIN_REQUESTS;
  const hasBudget = Object.keys(limits.budget ?? {}).length > 0;
  const hasExample = examples.some(({ sql, lql }) => sql === undefined && lql === undefined);
  return hasExample && isCheap && !hasBudget && deprecated === null && (left ?? MIN_REQUESTS) >= MIN_REQUESTS;
}

/** The values of an example, as form values. */
export function valuesOf(example: Example | undefined): Readonly<Record<string, string>> {
  const values = Object.entries(example?.parameters ?? {});
  return Object.fromEntries(values.map(([name, value]) => [name, fieldText(value)]));
}

function defaultsOf({ parameters }: Endpoint): Readonly<Record<string, string>> {
  const withDefault = parameters.filter((each) => each.default !== undefined);
  return Object.fromEntries(withDefault.map((each) => [each.name, defaultText(each)]));
}

/** The default of a parameter as a form value; empty if there is none. */
export function defaultText({ default: value }: Parameter): string {
  return fieldText(value ?? null);
}

function fieldText(value: Json): string {
  if (value === null) return '';
  if (!isNested(value)) return String(value);
  const isPlain =
    Array.isArray(value) && !Object.values(value).some((each) => each === null || isNested(each));
  return isPlain ? Object.values(value).map(fieldText).join(',') : printJson(value);
}

function starterQueries(endpoint: Endpoint): Address['texts'] {
  const sandbox = sandboxOf(endpoint);
  const table = sandbox?.tables?.find(({ name }) => name === sandbox.default_table) ?? sandbox?.tables?.[0];
  if (table === undefined) return { sql: '', lql: '' };
  const time = table.columns.find(({ type }) => type.startsWith('DateTime'));
  if (time === undefined) return { sql: `SELECT *\nFROM ${table.name}\nLIMIT 100`, lql: `f:${table.name}` };
  const sql = `SELECT toStartOfHour(${time.name}) AS hour, count() AS rows\nFROM ${table.name}\nGROUP BY hour\nORDER BY hour`;
  return { sql, lql: `f:${table.name} t:last@1h` };
}
