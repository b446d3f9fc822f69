// Which media types an Accept field accepts, in order of preference (RFC 9110, 12.5.1).
import { isReadable } from './call-fields.ts';

interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  /** Of the media type, without the weight; names and values in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly weight: number;
  readonly position: number;
}

/** A part of a list; a separator in a quoted string does not end it (RFC 9110, 5.6.4). */
const partsBy = (separator: string): RegExp =>
  new RegExp(`(?:[^"${separator}]|"(?:[^"\\\\]|\\\\.)*"?)+`, 'g');
const RANGES = partsBy(',');
const PARAMETERS = partsBy(';');
/** As responses declare it, where their type has one: for parameters of a range it is their only possible value. */
const CHARSET = 'utf-8';

/** A type that responses may have, read once. */
interface OfferedType {
  readonly type: string;
  readonly range: MediaRange;
}

/** Reads types, which may have parameters. */
export function offeredTypes(types: Iterable<string>): readonly OfferedType[] {
  return Array.from(types).flatMap((type) => {
    const range = readRange(type, 0);
    return range === undefined ? [] : [{ type, range }];
  });
}

/**
 * Those of the offered types that the field accepts, the preferred one first; all of them for a request without the field, none for an
 * oversized one. An offered type may have parameters, and a range too: one that the offered type declares must have the
 * same value, and others (`version=1`, `odata=verbose`) exclude nothing, since no response can differ by them.
 */
export function acceptedTypes(
  accept: string | undefined,
  offered: readonly OfferedType[],
): readonly string[] {
  if (accept === undefined) return offered.map(({ type }) => type);
  if (!isReadable(accept)) return [];
  const ranges = (accept.match(RANGES) ?? []).flatMap((text, position) => readRange(text, position) ?? []);
  const found = offered.flatMap(({ type, range }) => {
    const best = bestFor(range, ranges);
    return best === undefined || best.range.weight === 0 ? [] : [{ type, ...best }];
  });
  return found
    .toSorted(
      (a, b) =>
        b.range.weight - a.range.weight ||
        b.specificity - a.specificity ||
        a.range.position - b.range.position,
    )
    .map(({ type }) => type);
}

/** Undefined if it is no media range. */
function readRange(text: string, position: number): MediaRange | undefined {
  const [name = '', ...rest] = text.match(PARAMETERS) ?? [];
  const [, type, subtype] = /^\s*([^\s/]+)\/([^\s/]+)\s*$/.exec(name.toLowerCase()) ?? [];
  if (type === undefined || subtype === undefined) return undefined;
  const all = new Map(rest.flatMap(readParameter));
  const weight = all.get('q') ?? '1';
  all.delete('q');
  return { type, subtype, parameters: all, weight: readWeight(weight), position };
}

/** A weight that is none accepts nothing, rather than something that the client may not want. */
function readWeight(text: string): number {
  return /^(?:0(?:\.\d*)?|1(?:\.0*)?|\.\d+)$/.test(text) ? Number(text) : 0;
}

function readParameter(text: string): [name: string, value: string][] {
  const equals = text.indexOf('=');
  if (equals === -1) return [];
  const value = text.slice(equals + 1).trim();
  const plain = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
  return [[text.slice(0, equals).trim().toLowerCase(), plain.toLowerCase()]];
}

interface Best {
  readonly range: MediaRange;
  readonly specificity: number;
}

/** The most specific range that matches the type; of equally specific ones, that with the highest weight. */
function bestFor(type: MediaRange, ranges: readonly MediaRange[]): Best | undefined {
  let best: Best | undefined;
  for (const range of ranges) {
    const specificity = specificityOf(range, type);
    if (specificity === undefined) continue;
    const isBetter =
      best === undefined ||
      specificity > best.specificity ||
      (specificity === best.specificity && range.weight > best.range.weight);
    if (isBetter) best = { range, specificity };
  }
  return best;
}

/** Undefined if the range does not match the type. */
function specificityOf(range: MediaRange, { type, subtype, parameters }: MediaRange): number | undefined {
  if (range.type !== '*' && range.type !== type) return undefined;
  if (range.subtype !== '*' && range.subtype !== subtype) return undefined;
  let specificity = (range.type === '*' ? 0 : 100) + (range.subtype === '*' ? 0 : 100);
  for (const [name, value] of range.parameters) {
    const declared = parameters.get(name);
    if (declared === undefined) continue;
    if (declared !== (name === 'charset' && value === 'utf8' ? CHARSET : value)) return undefined;
    specificity++;
  }
  return specificity;
}
