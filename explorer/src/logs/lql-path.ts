// Paths in LQL: names separated by dots, in double quotes if they have other characters than letters, digits and _.

/** A name of a path, as a regular expression. */
const SEGMENT = String.raw`(?:\w+|"(?!")[^"\\]*(?:\\[^][^"\\]*)*")`;
export const PATH = String.raw`${SEGMENT}(?:\.${SEGMENT})*`;

const SEGMENTS = new RegExp(SEGMENT, 'g');
const MAX_SEGMENTS = 64;

/** The names of a path as it is written, joined with dots; `m.` is short for `metadata.` */
export function readPath(text: string): string {
  const [first = '', ...rest] = text.match(SEGMENTS) ?? [];
  return [first === 'm' && rest.length > 0 ? 'metadata' : first, ...rest].map(unquoted).join('.');
}

function unquoted(segment: string): string {
  return segment.startsWith('"') ? segment.slice(1, -1).replace(/\\(["\\])/g, '$1') : segment;
}

/** The path as it is written. */
export function writePath(path: string): string {
  const [first = '', ...rest] = path.split('.');
  if (first === 'metadata' && rest.length > 0) return ['m', ...rest.map(written)].join('.');
  // As words, they would be a clause of another kind, or short for metadata.
  const isShort = rest.length === 0 ? /^(?:f|from|s|select|t)$/.test(first) : first === 'm';
  return [isShort ? `"${first}"` : written(first), ...rest.map(written)].join('.');
}

function written(segment: string): string {
  return /^\w+$/.test(segment) ? segment : `"${segment}"`;
}

/** Why LQL cannot name the path; undefined: it can. */
export function unnameable(path: string): string | undefined {
  const segments = path.split('.');
  if (segments.includes('')) return 'a part of its name is empty';
  if (segments.length > MAX_SEGMENTS) return `its name has more than ${MAX_SEGMENTS} parts`;
  if (/["'`\\\t\n\r\0]|\p{Surrogate}/u.test(path))
    return 'its name contains a quote, a backslash or a control character';
  return undefined;
}
