// Entries of the analysis cache as text: data whose size, hash and shape are checked when it is read.
import { hash } from 'node:crypto';
import type { Finding } from '../../core/finding.ts';

/** The engine found this about one file, or about the definitions of the tables. */
export interface CachedAnalysis {
  readonly findings: readonly Finding[];
  /** Statements of the schema that were left out, by kind; none for an endpoint file. */
  readonly skipped: readonly (readonly [kind: string, count: number])[];
}

/** Larger entries are neither written nor read. */
export const MAX_ENTRY_BYTES = 2 ** 20;

/** The hash of the rest, a line break, and JSON that repeats the key. */
export function encodeEntry(key: string, { findings, skipped }: CachedAnalysis): string {
  const body = JSON.stringify({ key, findings, skipped });
  return `${hash('sha256', body, 'hex')}\n${body}`;
}

/** Undefined: the text is not a whole entry of this key. */
export function decodeEntry(key: string, text: string): CachedAnalysis | undefined {
  const end = text.indexOf('\n');
  const body = text.slice(end + 1);
  if (end < 0 || text.slice(0, end) !== hash('sha256', body, 'hex')) return undefined;
  const value = parse(body);
  if (value?.['key'] !== key) return undefined;
  const { findings, skipped } = value;
  if (!Array.isArray(findings) || !Array.isArray(skipped)) return undefined;
  return findings.every(isFinding) && skipped.every(isCount) ? { findings, skipped } : undefined;
}

function parse(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

const TEXTS = ['file', 'code', 'message'] as const;
const OPTIONAL_TEXTS = ['hint', 'includedBy'] as const;
const PLACES = ['line', 'column'] as const;
const KNOWN: ReadonlySet<string> = new Set([...TEXTS, ...OPTIONAL_TEXTS, ...PLACES, 'severity']);

function isFinding(value: unknown): value is Finding {
  if (!isRecord(value)) return false;
  return (
    TEXTS.every((name) => typeof value[name] === 'string') &&
    OPTIONAL_TEXTS.every((name) => ['string', 'undefined'].includes(typeof value[name])) &&
    PLACES.every((name) => isNumber(value[name])) &&
    (value['severity'] === 'error' || value['severity'] === 'warning') &&
    Object.keys(value).every((name) => KNOWN.has(name))
  );
}

function isCount(value: unknown): value is readonly [string, number] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && isNumber(value[1]);
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
