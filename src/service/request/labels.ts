// Labels of a call: those that the endpoint's file defines, from the file itself, a parameter or the caller's header.
import type { Endpoint } from '../endpoints/endpoint.ts';

export type Labels = Readonly<Record<string, string>>;

const MAX_HEADER = 4096;
const MAX_VALUE = 100;
const NAME = /^[a-z][a-z0-9_]{0,39}$/;
const VALUE = /^[\x20-\x7e\u0080-\u00ff]+$/;

/** The labels of one call; a label without a value is omitted. */
export function labelsOf(
  { labels }: Endpoint,
  values: Readonly<Record<string, string | null>>,
  header: string | undefined,
): Labels {
  if (labels.length === 0) return NO_LABELS;
  const sent = labels.some(({ from }) => from.kind === 'header') ? readLabelsHeader(header ?? '') : undefined;
  const found: [string, string][] = [];
  for (const { name, from } of labels) {
    const value =
      from.kind === 'text' ? from.text : from.kind === 'parameter' ? values[from.name] : sent?.get(name);
    if (value !== undefined && value !== null && value !== '') found.push([name, beginningOf(value)]);
  }
  return Object.fromEntries(found);
}

/** Half of a character at the cut is left out. */
function beginningOf(value: string): string {
  return value.slice(0, MAX_VALUE).replace(/\p{Surrogate}$/u, '');
}

export const NO_LABELS: Labels = {};

/** Labels that apply to every call, including cache warming. */
export function staticLabels({ labels }: Endpoint): Labels {
  if (labels.length === 0) return NO_LABELS;
  return Object.fromEntries(
    labels.flatMap(({ name, from }) => (from.kind === 'text' ? [[name, from.text] as const] : [])),
  );
}

/** Parses `k=v,k2=v2`. Malformed pairs are ignored: a missing label does no harm, whereas a rejected call would. */
export function readLabelsHeader(header: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  if (header.length > MAX_HEADER) return pairs;
  for (const item of header.split(',')) {
    const at = item.indexOf('=');
    const [name, value] = [item.slice(0, Math.max(0, at)).trim(), item.slice(at + 1).trim()];
    if (NAME.test(name) && VALUE.test(value) && !pairs.has(name)) pairs.set(name, value);
  }
  return pairs;
}
