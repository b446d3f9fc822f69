// The redactor: compiles an endpoint's settings to a function that removes personal data from rows.
import { createHash, createHmac } from 'node:crypto';
import { compileColumns, rulesBelow, type ColumnAction, type ColumnRules } from './columns.ts';
import { NEUTRAL_ADDRESS, REDACTED, type DetectorName } from './detector.ts';
import { chooseDetectors, DEFAULT_DETECTORS } from './detectors.ts';
import { createEdits } from './edits.ts';
import { HAS_ESCAPE } from './character-flags.ts';
import { redactLines, type OnMatch } from './lines.ts';
import { createReplacements } from './replacements.ts';
import { createScan } from './scan.ts';

/** The settings of an endpoint file, with the key for hashes. */
export interface RedactorOptions {
  /** Detectors applied to strings; `ip` and `email` if omitted. */
  readonly detectors?: readonly DetectorName[];
  /** Include the kind in the replacement, as in REDACTED:email. */
  readonly kind?: boolean;
  /** Actions for columns, or for paths such as metadata.user.name, independent of their content. */
  readonly columns?: Readonly<Record<string, ColumnAction>>;
  /** The secret for hashing `hash` columns; required if there are any. */
  readonly hashKey?: string;
}

/** Keeps no input. For strings, it guarantees only what its detectors find; see docs/secure/personal-data.md. */
export interface Redactor {
  /** Identifies the settings: redactors with the same profile give the same output. Part of the cache key. */
  readonly profile: string;
  /** What it was created from: a thread creates an equal one. */
  readonly options: RedactorOptions;
  /**
   * Redacts JSONEachRow rows, as whole lines. Everything that is not a string stays unchanged, and the same array is returned
   * if there is nothing to remove. Throws SyntaxError if a key or a hashed string is invalid JSON.
   */
  redactLines(lines: Uint8Array): Uint8Array;
  /** Returns whether a rule by name applies to a column of a row, or to something inside it. */
  treats(column: string): boolean;
  /** Redacts any other text, such as a message. */
  redactText(text: string): string;
  /** For the tables of a consumer query; undefined if nothing is redacted. */
  readonly source: SourceSettings | undefined;
  /** For rows of which the source was redacted: without hashes, which would be hashed again, and neutral addresses stay. */
  readonly afterSource: { redactLines(lines: Uint8Array, onMatch?: OnMatch): Uint8Array };
}

/** What redaction inside the engine, below a consumer query, needs to know. */
export interface SourceSettings {
  readonly detectors: readonly DetectorName[];
  readonly kind: boolean;
  readonly rules: ColumnRules | undefined;
  /** What a masked value becomes. */
  readonly mask: string;
  /** Returns whether a detector finds something. */
  readonly finds: (text: string) => boolean;
  /** Returns whether a condition on stored texts selects the same rows as on redacted ones: `text` has no personal data and no replacement. */
  readonly canCompare: (text: string) => boolean;
  /** The keys of the two hashes of HMAC-SHA-256, in hexadecimal digits; undefined if no column is hashed. */
  readonly hashKeys: { readonly inner: string; readonly outer: string } | undefined;
}

/** Increment when the output for the same input may change, so that cached responses with old rules are not reused. */
const RULES_VERSION = 4;

/** Throws if columns are to be hashed and there is no key. */
export function createRedactor(options: RedactorOptions): Redactor {
  const { detectors = DEFAULT_DETECTORS, kind = false, columns = {}, hashKey } = options;
  if (Object.values(columns).includes('hash') && !hashKey) throw new Error('columns to hash need a key');
  const scan = createScan(chooseDetectors(detectors));
  const replacements = createReplacements(kind, hashKey);
  const rules = compileColumns(columns);
  const unhashed = compileColumns(
    Object.fromEntries(Object.entries(columns).filter(([, action]) => action !== 'hash')),
  );
  const redactText = (text: string): string => {
    const bytes = Buffer.from(text);
    const edits = createEdits();
    const matches = scan.find(bytes, 0, bytes.length, HAS_ESCAPE);
    for (const { start, end, name } of matches) edits.replace(start, end, replacements.of(name));
    return matches.length === 0 ? text : Buffer.from(edits.apply(bytes)).toString();
  };
  const finds = (text: string): boolean => redactText(text) !== text;
  const isHashed = hashKey !== undefined && Object.values(columns).includes('hash');
  return {
    profile: profileOf({ detectors, kind, columns, hashKey }),
    options,
    redactLines: (lines) => redactLines(lines, { scan, rules, replacements }),
    treats: (column) => rules !== undefined && rulesBelow(rules, column) !== undefined,
    redactText,
    source: {
      detectors,
      kind,
      rules,
      mask: kind ? `${REDACTED}:column` : REDACTED,
      finds,
      canCompare: (text) => !text.includes(REDACTED) && !finds(text),
      hashKeys: isHashed ? hmacKeys(hashKey) : undefined,
    },
    afterSource: {
      redactLines: (lines, onMatch) =>
        redactLines(lines, { scan, rules: unhashed, replacements, onMatch, neutral: NEUTRAL_ADDRESS }),
    },
  };
}

const HMAC_BLOCK = 64;

/** RFC 2104: the key, padded to a block, combined with the two constants. */
function hmacKeys(key: string): SourceSettings['hashKeys'] {
  const bytes = Buffer.from(key);
  const short = bytes.length > HMAC_BLOCK ? createHash('sha256').update(bytes).digest() : bytes;
  const block = Buffer.alloc(HMAC_BLOCK);
  short.copy(block);
  const combined = (constant: number): string =>
    Buffer.from(block.map((byte) => byte ^ constant)).toString('hex');
  return { inner: combined(0x36), outer: combined(0x5c) };
}

/** Changes nothing. */
export const NO_REDACTION: Redactor = {
  profile: 'none',
  options: { detectors: [] },
  redactLines: (lines) => lines,
  treats: () => false,
  redactText: (text) => text,
  source: undefined,
  afterSource: { redactLines: (lines) => lines },
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
