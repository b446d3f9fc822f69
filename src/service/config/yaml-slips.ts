// What was probably meant where YAML cannot be read: mostly a value that needs quotes. The parser reports such a slip where it gives up,
// often several times; here it has one finding, at the value.
import type { TextFinding } from '../../sql/base/finding.ts';
import { isScalar, visit, type Document, type Pair } from 'yaml';

/** The line of a fault. */
interface Line {
  readonly start: number;
  readonly text: string;
  /** The place of the fault in the line. */
  readonly at: number;
  /** The line before it that is not empty. */
  readonly before: string;
}

type Explain = (line: Line, fault: TextFinding) => TextFinding | undefined;

/** Longer lines, and faults after so many, are reported as the parser has them. */
const [MAX_LINE, MAX_EXPLAINED] = [4000, 20];

/** The faults, one for each line whose slip is known. */
export function explainFaults(text: string, faults: readonly TextFinding[]): readonly TextFinding[] {
  const known = new Set<number>();
  const explained: TextFinding[] = [];
  for (const [index, fault] of faults.toSorted((a, b) => a.start - b.start).entries()) {
    const line = index < MAX_EXPLAINED ? lineOf(text, fault.start) : undefined;
    if (line !== undefined && known.has(line.start)) continue;
    const found =
      line && EXPLANATIONS.map((explain) => explain(line, fault)).find((each) => each !== undefined);
    if (line !== undefined && found !== undefined) known.add(line.start);
    explained.push(found ?? fault);
  }
  return explained;
}

function lineOf(text: string, offset: number): Line | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const length = (end < 0 ? text.length : end) - start;
  return length > MAX_LINE
    ? undefined
    : { start, text: text.slice(start, start + length), at: offset - start, before: lineBefore(text, start) };
}

function lineBefore(text: string, start: number): string {
  const before = text.slice(Math.max(0, start - MAX_LINE), start).trimEnd();
  return before.slice(before.lastIndexOf('\n') + 1);
}

/** A line of a block that is indented less than the others, and so ends it. */
function lessIndented({ start, text, before }: Line, fault: TextFinding): TextFinding | undefined {
  const [own, others] = [text, before].map((line) => line.search(/\S/));
  const isKey = /^\s*(?:- )?[\w.-]+:(?:\s|$)/.test(text);
  if (own === undefined || others === undefined || own >= others || isKey) return undefined;
  if (!/^(?:bad_indent|missing_char|multiline_implicit_key)$/.test(fault.code)) return undefined;
  const message = 'this line is indented less than the one before it, and so is not a part of its text';
  return { ...fault, code: 'bad_indent', start: start + own, message, hint: `Indent it by ${others} spaces, as the line before it` };
} // prettier-ignore

const EXPLANATIONS: readonly Explain[] = [
  tabBefore,
  lessIndented,
  ({ text, start }, fault) => {
    const key = /^\s*[\w.-]+:(?=[^\s:])/.exec(text)?.[0];
    if (key === undefined || !/missing_char|implicit_key/.test(fault.code)) return undefined;
    return { ...fault, start: start + key.length - 1, message: 'a colon without a space after it ends no key', hint: 'Write a space after the colon' };
  },
  (line, fault) => {
    const value = /^(?:block_as_implicit_key|block_in_flow)$/.test(fault.code) ? valueAt(line) : undefined;
    const plain = value && plainValue(value.text, fault.code === 'block_in_flow');
    if (value === undefined || plain === undefined || !/: /.test(plain)) return undefined;
    return quoted(fault, value.start, plain, 'a colon and a space inside a value without quotes begin a mapping');
  },
  (line, fault) => {
    const value = /^(?:missing_char|unexpected_token|bad_indent)$/.test(fault.code) ? valueAt(line) : undefined;
    const call = value && callIn(value.text);
    if (value === undefined || call === undefined || !/[,'"]/.test(call)) return undefined;
    return quoted(fault, value.start, call, 'a comma or a quote ends a value without quotes inside braces');
  },
  (line, fault) => {
    const value = fault.code === 'unexpected_token' ? valueAt(line) : undefined;
    const list = /^[A-Za-z][\w ]*\[[^\]]*\]/.exec(value?.text ?? '')?.[0];
    if (value === undefined || list === undefined) return undefined;
    return quoted(fault, value.start, list, 'brackets end a value without quotes inside braces');
  },
  (line, fault) => {
    const value = fault.code === 'unexpected_token' ? valueAt(line) : undefined;
    if (value === undefined || !/^['"]/.test(value.text)) return undefined;
    const quote = value.text.charAt(0);
    const remedy = quote === "'" ? "Write '' for a quote inside single quotes" : String.raw`Write \" for a quote inside double quotes`;
    return { ...fault, message: 'the quotes end before the value does', hint: `${remedy}, or write the value as a block: key: |` };
  },
  (line, fault) => {
    if (!RESERVED.has(fault.code)) return undefined;
    const plain = plainValue(line.text.slice(line.at), /[{[]/.test(line.text.slice(0, line.at)));
    return plain === '' ? undefined : { ...fault, hint: quotesHint(plain) };
  },
]; // prettier-ignore

/** What is reported where a value begins with a character that has a meaning in YAML. */
const RESERVED: ReadonlySet<string> = new Set(['bad_scalar_start', 'unknown_alias', 'tag_resolve_failed']);

function tabBefore({ start, text }: Line, fault: TextFinding): TextFinding | undefined {
  const tab = /^[ ]*\t/.exec(text)?.[0];
  if (tab === undefined || !/^(?:bad_indent|tab_as_indent|missing_char)$/.test(fault.code)) return undefined;
  const offset = start + tab.length - 1;
  return { start: offset, code: 'tab_as_indent', message: 'tabs are not allowed as indentation', hint: 'Indent with spaces' };
} // prettier-ignore

/** The value of the last key before the fault, from its first character to the end of the line. */
function valueAt({ start, text, at }: Line): { readonly start: number; readonly text: string } | undefined {
  const keys = [...text.slice(0, at + 1).matchAll(/(?:^\s*(?:- +)?|[{,] *)[\w.-]+: +(?=\S)/g)];
  const last = keys.at(-1);
  if (last === undefined) return undefined;
  const from = last.index + last[0].length;
  return { start: start + from, text: text.slice(from) };
}

/** A value without quotes, to the end of the line or, in braces, of the value. */
function plainValue(text: string, isInFlow: boolean): string {
  const value = isInFlow ? text.replace(/\s*[,}\]].*$/s, '') : text.replace(/\s+#.*$/s, '');
  return value.trimEnd();
}

/** A type with its arguments: a name and balanced parentheses. */
function callIn(text: string): string | undefined {
  const name = /^[A-Za-z]\w*\(/.exec(text)?.[0];
  if (name === undefined) return undefined;
  let depth = 0;
  for (let at = name.length - 1; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return text.slice(0, at + 1);
  }
  return undefined;
}

function quoted(fault: TextFinding, start: number, value: string, message: string): TextFinding {
  return { ...fault, start, message, hint: quotesHint(value) };
}

function quotesHint(value: string): string {
  if (value.length > 80) return 'Put it in quotes, or write it as a block: key: |';
  const text =
    value.includes('"') || value.includes('\\') ? `'${value.replaceAll("'", "''")}'` : `"${value}"`;
  return `Put it in quotes: ${text}`;
}

/** Slips in a document that can be read: values that a comma has divided, merge keys, and anchors in place of values. */
export function findSlips(text: string, parsed: Document.Parsed): readonly TextFinding[] {
  const faults: TextFinding[] = [];
  visit(parsed, {
    Map(_, { items }) {
      for (const [index, pair] of items.entries()) {
        const fault = splitValue(text, items[index - 1], pair) ?? mergeKey(pair) ?? anchorAlone(text, pair);
        if (fault !== undefined) faults.push(fault);
      }
    },
  });
  return faults;
}

/** `type: Decimal(12, 4)` in braces: a value, and a key that is the rest of it. */
function splitValue(text: string, before: Pair | undefined, { key, value }: Pair): TextFinding | undefined {
  const first = before?.value;
  if (!isScalar(first) || first.type !== 'PLAIN' || !isScalar(key) || key.type !== 'PLAIN') return undefined;
  if (value !== null && !(isScalar(value) && value.value === null)) return undefined;
  const [start = 0, end = 0] = [first.range?.[0], key.range?.[1]];
  const whole = text.slice(start, end);
  const isCut =
    /^[A-Za-z]\w*\([^()]*$/.test(String(first.value)) || callIn(String(first.value)) === undefined;
  const call = isCut && whole.length < MAX_LINE ? callIn(whole) : undefined;
  if (call === undefined || call.length <= String(first.value).length) return undefined;
  return quoted({ start, code: 'unquoted_comma', message: '' }, start, call, 'a comma ends a value without quotes inside braces'); // prettier-ignore
}

function mergeKey({ key }: Pair): TextFinding | undefined {
  if (!isScalar(key) || key.type !== 'PLAIN' || key.value !== '<<') return undefined;
  return {
    start: key.range?.[0] ?? 0,
    code: 'merge_key',
    message: 'YAML 1.2 has no merge keys',
    hint: 'Write the keys out, or keep them in a shared file: include. If << is meant as a name, put it in quotes: "<<"',
  };
}

function anchorAlone(text: string, { value }: Pair): TextFinding | undefined {
  if (!isScalar(value) || value.anchor === undefined || value.value !== null) return undefined;
  const start = text.lastIndexOf(`&${value.anchor}`, value.range?.[0]);
  const message = 'a value that begins with & is the name of an anchor, and nothing follows it';
  return quoted({ start, code: 'bad_scalar_start', message }, start, `&${value.anchor}`, message);
}
