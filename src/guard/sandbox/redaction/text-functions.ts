// The expressions that redact strings and documents inside the engine. None of them fails, whatever the value.
//
// They are planned for every query, which takes longer than most queries run. So each is inside a lambda, which the engine does not
// execute to plan a query; a value that is used twice is an element of an array, since a function over arrays computes it once; and what
// few strings need is written once.
import {
  CUT,
  ENCODED,
  enginePatterns,
  foldReplacements,
  MARKED,
  type EnginePatterns,
} from '../../redact/engine-patterns.ts';
import { REDACTED, type DetectorName } from '../../redact/detector.ts';
import { quoteString } from '../../../sql/clickhouse/literal.ts';

/** What replaces text. */
export interface TextSettings {
  readonly detectors: readonly DetectorName[];
  /** Include the kind, as in REDACTED:email. */
  readonly kind: boolean;
}

export interface TextFunctions {
  /** The redacted strings of an array. */
  readonly texts: (array: string) => string;
  /** The redacted text of a JSON document, given the text and the names of its paths. */
  readonly document: (text: string, paths: string) => string;
  /** Returns whether a text is known to be its own redacted form, and not that of another. */
  readonly keeps: (text: string) => boolean;
}

/** Parameters with the two keys of HMAC (RFC 2104), in hexadecimal digits. */
export const INNER_PAD = 'millrace_pii_inner_pad';
export const OUTER_PAD = 'millrace_pii_outer_pad';

const REPLACEMENT = quoteString(REDACTED);
/** What replaces a document of which a name of a path is personal data. */
const NO_DOCUMENT = quoteString(`{"${REDACTED}":true}`);

/** The expressions for one choice of detectors. */
export function textFunctions({ detectors, kind }: TextSettings): TextFunctions {
  const patterns = enginePatterns(detectors);
  const keeps = (text: string): boolean => keepsText(text, patterns);
  if (patterns.any === '') return { texts: (array) => array, document: (text) => text, keeps };
  const replaced = (text: string, each: EnginePatterns['byName'], any: string): string =>
    kind ? replaceEach(text, each) : replace(text, any, REDACTED);
  // Detectors see U+FFFD in place of bytes that are not UTF-8; the expressions match no such byte. Other binary data stays as it is.
  const isInvalid = `NOT isValidUTF8(t) AND ${matches('toValidUTF8(t)', patterns.any)}`;
  const plain = replaced(`if(${isInvalid}, toValidUTF8(t), t)`, patterns.byName, patterns.any);
  const hidden = `if(${hides('r', patterns)}, ${REPLACEMENT}, r)`;
  const texts = (array: string): string =>
    `arrayMap(r -> ${hidden}, arrayMap(t -> if(${hasNeedle('t', patterns)}, ${plain}, t), ${array}))`;
  const json = replaced('doc', patterns.inJson, patterns.anyInJson);
  return { texts, document: (text, paths) => documentOf({ text, paths, json, texts, patterns }), keeps };
}

/** Without a needle of a detector, and without characters of encodings and of replacements. */
function keepsText(text: string, { needles }: EnginePatterns): boolean {
  const lower = text.toLowerCase();
  return (
    /^[\w ,/()+*$#!?-]*$/.test(text) &&
    ![REDACTED, ...needles].some((needle) => lower.includes(needle.toLowerCase()))
  );
}

/**
 * `body` with a name for a value. The engine computes the arguments of a function over arrays once.
 */
function bound(name: string, value: string, body: string): string {
  return `arrayMap(${name} -> ${body}, [${value}])[1]`;
}

/** Returns whether a text has something that every plain match has: many texts are passed on after this search. */
function hasNeedle(text: string, { needles }: EnginePatterns): string {
  const search = needles.some((needle) => /[a-z]/i.test(needle))
    ? 'multiSearchAnyCaseInsensitive'
    : 'multiSearchAny';
  return `${search}(${text}, [${needles.map(literal).join(', ')}])`;
}

/** Returns whether names have something that every match, plain or encoded, has. */
function hasHint(names: string, { hint }: EnginePatterns): string {
  return `${matches(names, hint)} OR NOT isValidUTF8(${names})`;
}

/** Returns whether a replacement has a part of an encoding, or a text has an encoding, and detectors find something in what it encodes. */
function hides(text: string, { cut, anyDecoded }: EnginePatterns): string {
  // Few texts have any of these characters, which is known sooner than whether they encode something.
  const hasMarker = `multiSearchAny(${text}, ['%', '\\\\', '&', '=']) OR length(${text}) != lengthUTF8(${text})`;
  const unbroken = replace('d', '=\\r?\\n', '');
  const quoted = `decodeURLComponent(${replace(unbroken, '=([2-7][0-9A-Fa-f])', '%\\1')})`;
  const found = `arrayExists(d -> ${matches(`concat(d, '\\n', ${quoted})`, anyDecoded)}, [${decoded(text)}])`;
  return `(${hasMarker}) AND ${matches(text, MARKED)} AND (${matches(text, cut)} OR ${found})`;
}

/**
 * The decodings that detectors see through, in their order, except quoted-printable: that is last and by itself, since it may break what
 * the others show.
 */
function decoded(text: string): string {
  const controls = replace(text, '\\\\+[nrtbf]', '\n');
  const escapes = replace(controls, '\\\\+(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2}))', '&#x\\1\\2;');
  const percents = `decodeURLComponent(${replace(`decodeHTMLComponent(${escapes})`, '%(?:25)+', '%')})`;
  const entities = `decodeHTMLComponent(${replace(percents, '&(?:amp;)+', '&')})`;
  const compatible = `normalizeUTF8NFKC(toValidUTF8(${entities}))`;
  return foldReplacements().reduce((folded, [pattern, by]) => replace(folded, pattern, by), compatible);
}

/** With a replacement for each detector. */
function replaceEach(text: string, patterns: EnginePatterns['byName']): string {
  return patterns.reduce((sql, [name, pattern]) => replace(sql, pattern, `${REDACTED}:${name}`), text);
}

function replace(text: string, pattern: string, by: string): string {
  return `replaceRegexpAll(${text}, ${literal(pattern)}, ${literal(by)})`;
}

function matches(text: string, pattern: string): string {
  return `match(${text}, ${literal(pattern)})`;
}

/** Without a semicolon, for which the embedded engine would have to check that the statement is a single one. */
function literal(value: string): string {
  return quoteString(value).replaceAll(';', '\\x3B');
}

/** A string in the text of a document, with its quotes. */
const STRING = '"(?:[^"\\\\]|\\\\.)*"';

/**
 * An address or an e-mail address as names of nested objects: a JSON column reads the dots in a name as nesting. The names of its own
 * paths are known, those in arrays are not.
 */
const NESTED_NAMES = '"[^"]*@[^"]*":[{]|[0-9A-Fa-f]":[{]"[0-9]{1,3}":[{]"[0-9]{1,3}":[{]"[0-9]';

interface DocumentParts {
  readonly text: string;
  readonly paths: string;
  /** The text `doc` of the document with its matches replaced. */
  readonly json: string;
  readonly texts: TextFunctions['texts'];
  readonly patterns: EnginePatterns;
}

/**
 * Documents are redacted as text: at once if no match can reach over the end of a string and nothing is encoded, and otherwise string by
 * string. Names that become equal get a number. No match changes a number. The names of the paths are the last string: together they may
 * be personal data even if their parts are not.
 */
function documentOf({ text, paths, json, texts, patterns }: DocumentParts): string {
  const { inJson, numbers } = patterns;
  const marked = ['\\\\"@', `${REDACTED}[^"]*":`, CUT, ENCODED, ...(numbers === undefined ? [] : [numbers])];
  const names = `arrayStringConcat(${paths}, '\\n')`;
  const raw = `arrayPushBack(arrayMap(s -> JSONExtractString(s), extractAll(doc, ${literal(STRING)})), names)`;
  const between = `splitByRegexp(${literal(STRING)}, doc)`;
  const unequal = `if(startsWith(after, ':') AND v != s, concat(v, '_', toString(n)), v)`;
  const strings = `arrayMap((s, v, n, after) -> concat(toJSONString(${unequal}), after), a, b, arrayEnumerate(a), arrayResize(arrayPopFront(c), length(a)))`;
  const rejoined = `concat(c[1], arrayStringConcat(arrayPopBack(${strings})))`;
  const checked = bound('b', texts('a'), `if(a[-1] != b[-1], ${NO_DOCUMENT}, ${rejoined})`);
  const byString = `arrayMap((a, c) -> ${checked}, [${raw}], [${between}])[1]`;
  const needsStrings = `${hasHint('names', patterns)} OR ${matches('once', marked.join('|'))}`;
  const chosen = bound('once', inJson.length === 0 ? 'doc' : json, `if(${needsStrings}, ${byString}, once)`);
  const document = `if(${matches('doc', NESTED_NAMES)}, ${NO_DOCUMENT}, ${chosen})`;
  return `arrayMap((doc, names) -> ${document}, [${text}], [${names}])[1]`;
}

/** HMAC-SHA-256 by its definition, which servers of all releases can compute; 128 bits, as for rows. */
export function hashOf(text: string): string {
  const inner = `SHA256(concat(unhex({${INNER_PAD}:String}), ${text}))`;
  const outer = `SHA256(concat(unhex({${OUTER_PAD}:String}), ${inner}))`;
  return `lower(hex(substring(${outer}, 1, 16)))`;
}
