// The functions that redact strings and documents inside the engine, as lambdas of a WITH clause: a table's view defines them in a
// scope of its own, before the columns that use them. None of them fails, whatever the value.
import { ENCODED, enginePatterns, FOLDED, type EnginePatterns } from '../../redact/engine-patterns.ts';
import { REDACTED, type DetectorName } from '../../redact/detector.ts';
import { quoteString } from '../../sql/literal.ts';

/** What replaces text. */
export interface TextSettings {
  readonly detectors: readonly DetectorName[];
  /** Include the kind, as in REDACTED:email. */
  readonly kind: boolean;
}

/** Names of the functions. Consumers cannot reach them, and no table has such columns. */
export const REDACT_TEXT = 'millrace_redact_text';
/** The same for an array of strings, which is planned once. */
export const REDACT_TEXTS = 'millrace_redact_texts';
const REDACT_DOCUMENT = 'millrace_redact_document';
const HIDES = 'millrace_hides';
export const HASH_TEXT = 'millrace_hash_text';

/** Parameters with the two keys of HMAC (RFC 2104), in hexadecimal digits. */
export const INNER_PAD = 'millrace_pii_inner_pad';
export const OUTER_PAD = 'millrace_pii_outer_pad';

/** What replaces a document of which a name of a path is personal data. */
const NO_DOCUMENT = quoteString(`{"${REDACTED}":true}`);

/** Definitions for WITH, in order; each uses only those before it. */
export function textFunctions({ detectors, kind }: TextSettings): readonly string[] {
  const patterns = enginePatterns(detectors);
  const { any } = patterns;
  if (any === '')
    return [`a -> a AS ${REDACT_TEXTS}`, `t -> t AS ${REDACT_TEXT}`, `t -> t AS ${REDACT_DOCUMENT}`];
  const plain = kind ? replaceEach(patterns.byName) : replace('t', any, REDACTED);
  return [
    ...decoders(patterns.anyDecoded),
    `t -> ${plain} AS millrace_plain`,
    // Detectors see U+FFFD in place of bytes that are not UTF-8; the expressions match no such byte. Other binary data stays as it is.
    `t -> if(isValidUTF8(t) OR NOT match(toValidUTF8(t), ${quoteString(any)}), t, toValidUTF8(t)) AS millrace_valid`,
    `t -> if(${HIDES}(t), ${quoteString(REDACTED)}, t) AS millrace_shown`,
    `a -> arrayMap(t -> millrace_shown(t), arrayMap(t -> millrace_plain(t), arrayMap(t -> millrace_valid(t), a))) AS ${REDACT_TEXTS}`,
    `t -> ${REDACT_TEXTS}([t])[1] AS ${REDACT_TEXT}`,
    ...documentFunctions(patterns, kind),
  ];
}

/**
 * `body` with a name for a value. The engine puts the arguments of a lambda of WITH in their places, each as often as it is used;
 * those of a function over arrays it computes once.
 */
function bound(name: string, value: string, body: string): string {
  return `arrayMap(${name} -> ${body}, [${value}])[1]`;
}

/**
 * Whether a text has an encoding, and detectors find something in what it encodes. The decodings that detectors see through, in their
 * order: quoted-printable last and by itself, since it may break what the others show.
 */
function decoders(any: string): readonly string[] {
  const controls = replace('t', '\\\\+[nrtbf]', '\n');
  const escapes = replace(controls, '\\\\+(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2}))', '&#x\\1\\2;');
  const percents = `decodeURLComponent(${replace(`decodeHTMLComponent(${escapes})`, '%(?:25)+', '%')})`;
  const entities = `decodeHTMLComponent(${replace(percents, '&(?:amp;)+', '&')})`;
  const compatible = `normalizeUTF8NFKC(toValidUTF8(${entities}))`;
  const folded = FOLDED.reduce((text, [pattern, by]) => replace(text, pattern, by), compatible);
  const unbroken = replace('t', '=\\r?\\n', '');
  const quoted = `decodeURLComponent(${replace(unbroken, '=([2-7][0-9A-Fa-f])', '%\\1')})`;
  const finds = (text: string): string => `match(${text}, ${quoteString(any)})`;
  // Few texts have any of these characters, which is known sooner than whether they encode something.
  const isEncoded = `(multiSearchAny(t, ['%', '\\\\', '&', '=']) OR length(t) != lengthUTF8(t)) AND match(t, ${quoteString(ENCODED)})`;
  return [
    `t -> ${folded} AS millrace_decode`,
    `t -> ${finds('t')} OR ${finds(quoted)} AS millrace_finds`,
    `t -> ${isEncoded} AND millrace_finds(millrace_decode(t)) AS ${HIDES}`,
  ];
}

/** With a replacement for each detector. */
function replaceEach(patterns: EnginePatterns['byName']): string {
  return patterns.reduce((text, [name, pattern]) => replace(text, pattern, `${REDACTED}:${name}`), 't');
}

function replace(text: string, pattern: string, by: string): string {
  return `replaceRegexpAll(${text}, ${quoteString(pattern)}, ${quoteString(by)})`;
}

/** A string in the text of a document, with its quotes. */
const STRING = '"(?:[^"\\\\]|\\\\.)*"';

/**
 * Documents are redacted as text: at once if no match can reach over the end of a string, and otherwise string by string. Names
 * that become equal get a number. No match changes a number.
 */
function documentFunctions({ inJson, anyInJson, numbers }: EnginePatterns, kind: boolean): readonly string[] {
  const all = kind ? replaceEach(inJson) : replace('t', anyInJson, REDACTED);
  const once = inJson.length === 0 ? 't' : all;
  const marked = ['\\\\"@', `${REDACTED}[^"]*":`, ...(numbers === undefined ? [] : [numbers])];
  const string = quoteString(STRING);
  const unequal = `if(startsWith(after, ':') AND v != s, concat(v, '_', toString(n)), v)`;
  const strings = `arrayMap((s, v, n, after) -> concat(toJSONString(${unequal}), after), raw, arrayMap(s -> ${REDACT_TEXT}(s), raw), arrayEnumerate(raw), arrayResize(arrayPopFront(between), length(raw)))`;
  const raw = `arrayMap(s -> JSONExtractString(s), extractAll(t, ${string}))`;
  const byString = `arrayMap((raw, between) -> concat(between[1], arrayStringConcat(${strings})), [${raw}], [splitByRegexp(${string}, t)])[1]`;
  const chosen = bound(
    'r',
    once,
    `if(match(r, ${quoteString(marked.join('|'))}) OR ${HIDES}(r), ${byString}, r)`,
  );
  return [`t -> ${chosen} AS ${REDACT_DOCUMENT}`];
}

/**
 * An address or an e-mail address as names of nested objects: a JSON column reads the dots in a name as nesting. The names of its own
 * paths are known, those in arrays are not.
 */
const NESTED_NAMES = '"[^"]*@[^"]*":[{]|[0-9A-Fa-f]":[{]"[0-9]{1,3}":[{]"[0-9]{1,3}":[{]"[0-9]';

/** The text of a document, given the names of its paths, which together may be personal data even if their parts are not. */
export function documentText(text: string, paths: string): string {
  const hasNames = bound('p', `arrayStringConcat(${paths}, '\\n')`, `${REDACT_TEXT}(p) != p`);
  const document = `if(match(t, ${quoteString(NESTED_NAMES)}), ${NO_DOCUMENT}, ${REDACT_DOCUMENT}(t))`;
  return `if(${hasNames}, ${NO_DOCUMENT}, ${bound('t', text, document)})`;
}

/** HMAC-SHA-256 by its definition, which servers of all releases can compute; 128 bits, as for rows. */
export function hashFunction(): string {
  const inner = `SHA256(concat(unhex({${INNER_PAD}:String}), t))`;
  const outer = `SHA256(concat(unhex({${OUTER_PAD}:String}), ${inner}))`;
  return `t -> lower(hex(substring(${outer}, 1, 16))) AS ${HASH_TEXT}`;
}
