// Splits SQL of any dialect into code, strings, quoted identifiers and comments, with the placeholders and tags in each.
import { DIALECTS_BY_NAME } from '../../../sql/dialects/dialects.ts';
import { STANDARD_LEXICAL, type LexicalRules } from '../../../sql/dialects/read/grammar.ts';
import type { TemplateDialect } from './template.ts';

export type RegionKind = 'code' | 'string' | 'quoted' | 'comment';

/** A placeholder or tag, `text.slice(start, end)`. */
export interface Mark {
  readonly start: number;
  readonly end: number;
}

/** Part of the text; the regions have no gaps. `open` and `close` are the lengths of its delimiters. */
export interface Region {
  readonly kind: RegionKind;
  readonly start: number;
  readonly end: number;
  readonly open: number;
  readonly close: number;
  readonly marks: readonly Mark[];
}

/** Where the mark at `at` ends; undefined if none begins there. Must be bounded in time by the length of the mark. */
export type MarkEnd = (text: string, at: number, inside: RegionKind) => number | undefined;

/** ClickHouse has no grammar of its own: its queries are not read into a tree. */
const CLICKHOUSE: LexicalRules = {
  ...STANDARD_LEXICAL,
  plain: { content: 'text', escapes: { characters: {}, others: 'dropped' } },
  hasDollarStrings: true,
  hasNestedComments: true,
};

function rulesOf(dialect: TemplateDialect): LexicalRules {
  return dialect === 'clickhouse' ? CLICKHOUSE : DIALECTS_BY_NAME[dialect].grammar.lexical;
}

/** A literal that the dialect reads as this value. */
export function literalOf(value: string | number | boolean, dialect: TemplateDialect): string {
  if (typeof value !== 'string') return String(value);
  const { plain, hasDoubledQuotes } = rulesOf(dialect);
  const escaped = plain.escapes === undefined ? value : value.replaceAll('\\', '\\\\');
  return `'${escaped.replaceAll("'", hasDoubledQuotes ? "''" : "\\'")}'`;
}

/** All regions, in order and without gaps. An unclosed string or comment reaches to the end. Linear in the length of the text. */
export function readRegions(text: string, dialect: TemplateDialect, markEnd: MarkEnd): readonly Region[] {
  const rules = rulesOf(dialect);
  const regions: Region[] = [];
  let code = openRegion('code', 0, 0);
  const closeCode = (at: number): void => {
    if (at > code.start) regions.push({ ...code, end: at });
  };
  for (let at = 0; at < text.length;) {
    const mark = markEnd(text, at, 'code');
    if (mark !== undefined) {
      code.marks.push({ start: at, end: mark });
      at = mark;
      continue;
    }
    const begun = beginning(text, at, rules);
    if (begun === undefined) {
      at = afterWord(text, at);
      continue;
    }
    closeCode(at);
    const region = readRegion(text, { ...begun, start: at }, markEnd);
    regions.push(region);
    at = region.end;
    code = openRegion('code', at, 0);
  }
  closeCode(text.length);
  return regions;
}

interface OpenRegion extends Region {
  readonly marks: Mark[];
}

function openRegion(kind: RegionKind, start: number, open: number): OpenRegion {
  return { kind, start, end: start, open, close: 0, marks: [] };
}

interface Beginning {
  readonly kind: RegionKind;
  readonly open: number;
  readonly close: string;
  readonly hasBackslash: boolean;
  /** A doubled delimiter is one character of the value. */
  readonly isDoubled: boolean;
  readonly isNested: boolean;
}

/** Words are skipped whole, so that the letter of `E'…'` is found only at the start of a word. */
function afterWord(text: string, at: number): number {
  WORD.lastIndex = at;
  return WORD.test(text) ? WORD.lastIndex : at + 1;
}

const WORD = /[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/y;
const PREFIXED = /(?:[EeBbNnXx]|[Uu]&|[Rr][Bb]?|[Bb][Rr])(?='|")/y;
const TAG = /\$(?:[A-Za-z_]\w*)?\$/y;

function beginning(text: string, at: number, rules: LexicalRules): Beginning | undefined {
  const char = text.charAt(at);
  if (text.startsWith('/*', at)) return { ...comment('*/', 2), isNested: rules.hasNestedComments };
  rules.comment.lastIndex = at;
  const line = rules.comment.exec(text)?.[0];
  if (line !== undefined) return comment('\n', line.length);
  if (char === '`') return { ...comment('`', 1), kind: 'quoted', isDoubled: true };
  PREFIXED.lastIndex = at;
  const prefix = PREFIXED.exec(text)?.[0] ?? '';
  const quote = text.charAt(at + prefix.length);
  if (quote === "'" || (quote === '"' && (prefix === '' || rules.hasTripleQuotes)))
    return quoted(text, { at, prefix, quote }, rules);
  if (char !== '$' || !rules.hasDollarStrings) return undefined;
  TAG.lastIndex = at;
  const tag = TAG.exec(text)?.[0];
  if (tag === undefined || !text.includes(tag, at + tag.length)) return undefined;
  return { ...comment(tag, tag.length), kind: 'string' };
}

function comment(close: string, open: number): Beginning {
  return { kind: 'comment', open, close, hasBackslash: false, isDoubled: false, isNested: false };
}

function quoted(
  text: string,
  { at, prefix, quote }: { readonly at: number; readonly prefix: string; readonly quote: string },
  rules: LexicalRules,
): Beginning {
  const from = at + prefix.length;
  const isTriple = rules.hasTripleQuotes && text.startsWith(quote.repeat(3), from);
  const close = isTriple ? quote.repeat(3) : quote;
  const isRaw = /r/i.test(prefix);
  return {
    kind: rules.strings.includes(quote) ? 'string' : 'quoted',
    open: prefix.length + close.length,
    close,
    hasBackslash: (rules.plain.escapes !== undefined && !isRaw) || /^e$/i.test(prefix),
    isDoubled: !isTriple && rules.hasDoubledQuotes,
    isNested: false,
  };
}

function readRegion(text: string, begun: Beginning & { readonly start: number }, markEnd: MarkEnd): Region {
  const { kind, start, open, close } = begun;
  const region = openRegion(kind, start, open);
  let depth = 1;
  for (let at = start + open; at < text.length;) {
    const mark = markEnd(text, at, kind);
    if (mark !== undefined) {
      region.marks.push({ start: at, end: mark });
      at = mark;
    } else if (begun.hasBackslash && text[at] === '\\') at += 2;
    else if (begun.isNested && text.startsWith('/*', at)) {
      depth++;
      at += 2;
    } else if (!text.startsWith(close, at)) at++;
    else if (begun.isDoubled && text.startsWith(close, at + close.length)) at += 2 * close.length;
    else {
      at += close.length;
      if (--depth === 0) return { ...region, end: at, close: close.length };
    }
  }
  return { ...region, end: text.length };
}
