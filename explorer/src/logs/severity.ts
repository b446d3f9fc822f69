// The severity of a row by the value of its level: a word, an HTTP status, or a number of OpenTelemetry or pino.
import { isNested, type Json } from '../service/json.ts';

export const SEVERITIES = ['error', 'warning', 'info', 'debug', 'other'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** RE2 and JavaScript read them alike. 10 and 20 are those of pino; other numbers up to 24 those of OpenTelemetry. */
export const SEVERITY_PATTERNS: readonly (readonly [Exclude<Severity, 'other'>, string])[] = [
  [
    'error',
    '^(?:emerg(?:ency)?|alert|crit(?:ical)?|fatal|panic|severe|err(?:or)?)[0-9]?$|^5[0-9][0-9]$|^(?:1[7-9]|2[1-4]|50|60)$',
  ],
  ['warning', '^warn(?:ing)?[0-9]?$|^4[0-9][0-9]$|^(?:1[3-6]|40)$'],
  ['info', '^(?:info(?:rmation(?:al)?)?|notice|log)[0-9]?$|^[123][0-9][0-9]$|^(?:9|1[12]|30)$'],
  ['debug', '^(?:debug|trace|verbose|fine(?:r|st)?)[0-9]?$|^(?:[1-8]|10|20)$'],
];

const COMPILED = SEVERITY_PATTERNS.map(
  ([severity, pattern]) => [severity, new RegExp(pattern, 'i')] as const,
);

/** The severity of a level, `other` if it is not known. */
export function severityOf(level: Json | undefined): Severity {
  if (level === undefined || level === null || isNested(level)) return 'other';
  const text = String(level);
  return COMPILED.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other';
}
