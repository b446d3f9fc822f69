// A redactor: settings of an endpoint compiled into what takes personal data out of its rows.
import { createHmac } from 'node:crypto';
import { compileColumns, rulesBelow, type ColumnAction } from './columns.ts';
import type { DetectorName } from './detector.ts';
import { chooseDetectors, DEFAULT_DETECTORS } from './detectors.ts';
import { createEdits } from './edits.ts';
import { HAS_ESCAPE } from './character-flags.ts';
import { redactLines } from './lines.ts';
import { createReplacements } from './replacements.ts';
import { createScan } from './scan.ts';

export interface RedactorOptions {
  /** What is looked for in texts; addresses and e-mail where left out. */
  readonly detectors?: readonly DetectorName[];
  /** Say what was replaced, as REDACTED:email. */
  readonly kind?: boolean;
  /** What is done to columns, or to paths such as metadata.user.name, whatever they hold. */
  readonly columns?: Readonly<Record<string, ColumnAction>>;
  /** The secret under which `hash` columns are hashed; needed where there is one. */
  readonly hashKey?: string;
}

/** Holds nothing of what it read. Of a text it only promises what its detectors find; see docs/guide/personal-data.md. */
export interface Redactor {
  /** Says which settings these are: redactors of one profile give the same output. A part of the key of stored results. */
  readonly profile: string;
  /**
   * Rows in JSONEachRow, whole lines, before and after. All that is no text stays as it is, and the very same array comes
   * back where there is nothing to take out. Throws SyntaxError where a key or a hashed string is no JSON.
   */
  redactLines(lines: Uint8Array): Uint8Array;
  /** Whether a rule by name is about a column of a row, or about something in it. */
  treats(column: string): boolean;
  /** Any other text, such as a message. */
  redactText(text: string): string;
}

/** Goes up whenever the same text may come out otherwise, so that what is stored is not mixed up. */
const RULES_VERSION = 2;

/** Throws where columns are to be hashed and there is no key. */
export function createRedactor(options: RedactorOptions): Redactor {
  const { detectors = DEFAULT_DETECTORS, kind = false, columns = {}, hashKey } = options;
  if (Object.values(columns).includes('hash') && !hashKey) throw new Error('columns to hash need a key');
  const scan = createScan(chooseDetectors(detectors));
  const replacements = createReplacements(kind, hashKey);
  const rules = compileColumns(columns);
  return {
    profile: profileOf({ detectors, kind, columns, hashKey }),
    redactLines: (lines) => redactLines(lines, { scan, rules, replacements }),
    treats: (column) => rules !== undefined && rulesBelow(rules, column) !== undefined,
    redactText(text) {
      const bytes = Buffer.from(text);
      const edits = createEdits();
      const matches = scan.find(bytes, 0, bytes.length, HAS_ESCAPE);
      for (const { start, end, name } of matches) edits.replace(start, end, replacements.of(name));
      return matches.length === 0 ? text : Buffer.from(edits.apply(bytes)).toString();
    },
  };
}

/** Takes nothing out. */
export const NO_REDACTION: Redactor = {
  profile: 'none',
  redactLines: (lines) => lines,
  treats: () => false,
  redactText: (text) => text,
};

function profileOf(
  options: Required<Omit<RedactorOptions, 'hashKey'>> & { hashKey: string | undefined },
): string {
  const { detectors, kind, columns, hashKey } = options;
  const rules = Object.entries(columns).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const isHashed = hashKey !== undefined && rules.some(([, action]) => action === 'hash');
  const names = [...new Set(detectors)].toSorted();
  const key = isHashed ? createHmac('sha256', hashKey).update('profile').digest('hex').slice(0, 16) : '';
  return JSON.stringify([RULES_VERSION, names, kind, rules, key]);
}
