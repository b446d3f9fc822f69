// The severity of a row by the value of its level: a word, an HTTP status, or a number of OpenTelemetry or pino.
import { isNested, type Json } from '../service/json.ts';

export const SEVERITIES = ['error', 'warning', 'info', 'debug', 'other'] as const;

export type Severity = (typeof SEVERITIES)[number];

type Known = Exclude<Severity, 'other'>;

/** RE2 and JavaScript read them alike. 10 and 20 are those of pino; other numbers up to 24 those of OpenTelemetry. */
const NUMBERS: Readonly<Record<Known, string>> = {
  error: '^5[0-9][0-9]$|^(?:1[7-9]|2[1-4]|50|60)$',
  warning: '^4[0-9][0-9]$|^(?:1[3-6]|40)$',
  info: '^[123][0-9][0-9]$|^(?:9|1[12]|30)$',
  debug: '^(?:[1-8]|10|20)$',
};
const WORDS: Readonly<Record<Known, string>> = {
  error: '^(?:emerg(?:ency)?|alert|crit(?:ical)?|fatal|panic|severe|err(?:or)?)[0-9]?$',
  warning: '^warn(?:ing)?[0-9]?$',
  info: '^(?:info(?:rmation(?:al)?)?|notice|log)[0-9]?$',
  debug: '^(?:debug|trace|verbose|fine(?:r|st)?)[0-9]?$',
};
const KNOWN: readonly Known[] = ['error', 'warning', 'info', 'debug'];

export const SEVERITY_PATTERNS: readonly (readonly [Known, string])[] = KNOWN.map((severity) => [
  severity,
  `${WORDS[severity]}|${NUMBERS[severity]}`,
]);

/** Matches the levels of these severities, none of which is `other`. Numeric levels need no pattern for words. */
export function severityPattern(severities: readonly Severity[], isNumber: boolean): string {
  const known = KNOWN.filter((each) => severities.includes(each));
  if (isNumber) return known.map((each) => NUMBERS[each]).join('|');
  return `(?i)${known.map((each) => `${WORDS[each]}|${NUMBERS[each]}`).join('|')}`;
}

const COMPILED = SEVERITY_PATTERNS.map(
  ([severity, pattern]) => [severity, new RegExp(pattern, 'i')] as const,
);

/** The severity of a level, `other` if it is not known. */
export function severityOf(level: Json | undefined): Severity {
  if (level === undefined || level === null || isNested(level)) return 'other';
  const text = String(level);
  return COMPILED.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other';
}
