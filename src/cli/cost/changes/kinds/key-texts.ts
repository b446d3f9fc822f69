// Conditions on the texts and numbers of a key that a function hides from it: the condition can be written about the column.
import { quoteString } from '../../../../sql/clickhouse/literal.ts';
import type { Node } from '../../../../sql/clickhouse/tree/nodes.ts';
import { integerOf } from '../../../../sql/types/traits.ts';
import type { ChangeSubject } from '../change.ts';
import { rewritingKind } from '../hidden-condition.ts';
import {
  calledWith,
  comparedOf,
  hasKey,
  keyType,
  listedStrings,
  numberOf,
  stringOf,
  typeOfColumn,
  written,
  type Compared,
} from '../subject.ts';

/** Returns the condition in another form, with the same rows. */
type Rewrite = (subject: ChangeSubject, compared: Compared) => string | undefined;

export const KEY_TEXTS = rewritingKind('key-texts', rewritten);

function rewritten(subject: ChangeSubject, node: Node): string | undefined {
  const compared = comparedOf(subject, node);
  if (compared !== undefined && hasKey(subject, compared.left))
    for (const rewrite of REWRITES) {
      const text = rewrite(subject, compared);
      if (text !== undefined) return text;
    }
  const listed = listedStrings(subject, node);
  if (listed === undefined || !hasKey(subject, listed.left)) return undefined;
  const begun = beginningOf(subject, listed.left);
  if (begun === undefined || !listed.strings.every((each) => isAscii(each, begun.length))) return undefined;
  const all = listed.strings.map((each) => startsWith(subject, begun.text, each));
  return all.length === 1 ? all[0] : `(${all.join(' OR ')})`;
}

/** `concat(key, '')`, and `key || ''`. */
const emptyConcat: Rewrite = (subject, { left, operator, right }) => {
  const parts = partsOfConcat(subject, left);
  const [key, ...others] = parts.filter((each) => stringOf(subject, each) !== '');
  const isText = keyType(subject, key)?.name === 'String';
  if (key === undefined || !isText || others.length > 0 || parts.length < 2) return undefined;
  return `${written(subject, key)} ${operator} ${written(subject, right)}`;
};

/** `nullIf(key, 'a') = 'b'`. */
const nullIf: Rewrite = (subject, { left, operator, right }) => {
  const [key, value] = calledWith(subject, left, 'nullif') ?? [];
  const [never, wanted] = [stringOf(subject, value), stringOf(subject, right)];
  if (key === undefined || keyType(subject, key) === undefined || operator !== '=') return undefined;
  if (never === undefined || wanted === undefined || never === wanted) return undefined;
  return `${written(subject, key)} = ${written(subject, right)}`;
};

/** `coalesce(key, 'a') = 'b'`, also of `nullIf`. */
const substitute: Rewrite = (subject, { left, operator, right }) => {
  const [inner, other, ...more] = calledWith(subject, left, 'coalesce', 'ifnull') ?? [];
  const [instead, wanted] = [stringOf(subject, other), stringOf(subject, right)];
  if (inner === undefined || more.length > 0 || operator !== '=') return undefined;
  if (instead === undefined || wanted === undefined || instead === wanted) return undefined;
  return keyType(subject, inner) === undefined
    ? nullIf(subject, { left: inner, operator, right })
    : `${written(subject, inner)} = ${written(subject, right)}`;
};

/** `concat(key, '/', other) = 'a/b'`: with one separator in the text, there is one way to divide it. */
const joinedParts: Rewrite = (subject, { left, operator, right }) => {
  const [first, between, last, ...more] = partsOfConcat(subject, left);
  const [separator, wanted] = [stringOf(subject, between), stringOf(subject, right)];
  if (last === undefined || more.length > 0 || operator !== '=' || separator?.length !== 1) return undefined;
  const [before, after, ...others] = wanted?.split(separator) ?? [];
  if (before === undefined || after === undefined || others.length > 0) return undefined;
  const isText = (node: Node | undefined): node is Node => typeOfColumn(subject, node)?.name === 'String';
  if (!isText(first) || !isText(last)) return undefined;
  return `(${written(subject, first)} = ${quoteString(before)} AND ${written(subject, last)} = ${quoteString(after)})`;
};

function partsOfConcat(subject: ChangeSubject, node: Node): readonly Node[] {
  return node.kind === 'concat' ? node.parts : (calledWith(subject, node, 'concat') ?? []);
}

/** `substring(x, 1, 3) = 'abc'`. */
const beginning: Rewrite = (subject, { left, operator, right }) => {
  const begun = beginningOf(subject, left);
  const wanted = stringOf(subject, right);
  if (begun === undefined || operator !== '=' || wanted === undefined) return undefined;
  return isAscii(wanted, begun.length) ? startsWith(subject, begun.text, wanted) : undefined;
};

export function beginningOf(
  subject: ChangeSubject,
  node: Node,
): { readonly text: Node; readonly length: number } | undefined {
  const [text, ...numbers] = calledWith(subject, node, 'substring', 'substr', 'mid') ?? [];
  const [first, length] = numbers.map((each) => numberOf(subject, each));
  if (text !== undefined && first === 1 && length !== undefined) return { text, length };
  const [whole, only] = calledWith(subject, node, 'left') ?? [];
  const all = numberOf(subject, only);
  return whole === undefined || all === undefined ? undefined : { text: whole, length: all };
}

/** Functions count bytes or characters, which are the same here. */
function isAscii(text: string, length: number): boolean {
  return text.length === length && /^[ -~]+$/.test(text);
}

function startsWith(subject: ChangeSubject, text: Node, beginningText: string): string {
  const source = written(subject, text);
  if (keyType(subject, text) !== undefined) return `startsWith(${source}, ${quoteString(beginningText)})`;
  const pattern = beginningText.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return `${source} LIKE ${quoteString(`${pattern}%`)}`;
}

/** `position(key, 'abc') = 1`. */
const position: Rewrite = (subject, { left, operator, right }) => {
  const [key, text] = calledWith(subject, left, 'position', 'positionutf8') ?? [];
  if (key === undefined || text === undefined || keyType(subject, key) === undefined) return undefined;
  if (operator !== '=' || numberOf(subject, right) !== 1) return undefined;
  return `startsWith(${written(subject, key)}, ${written(subject, text)})`;
};

/** `splitByChar('-', key)[1] = 'a'`, and `substringIndex(key, '-', 1) = 'a'`. */
const firstPart: Rewrite = (subject, { left, operator, right }) => {
  const [list, index] = left.kind === 'index' ? left.parts : [];
  const [before, text] = calledWith(subject, list, 'splitbychar') ?? [];
  const [whole, separator, count] = calledWith(subject, left, 'substringindex') ?? [];
  const [key, by, number] = text === undefined ? [whole, separator, count] : [text, before, index];
  const [char, wanted] = [stringOf(subject, by), stringOf(subject, right)];
  if (key === undefined || keyType(subject, key)?.name !== 'String' || numberOf(subject, number) !== 1)
    return undefined;
  if (operator !== '=' || char?.length !== 1 || wanted === undefined || wanted === '') return undefined;
  if (wanted.includes(char)) return undefined;
  const name = written(subject, key);
  return `(${name} = ${written(subject, right)} OR startsWith(${name}, ${quoteString(wanted + char)}))`;
};

/** `length(key) = 0`. */
const noLength: Rewrite = (subject, { left, operator, right }) => {
  const [key] = calledWith(subject, left, 'length', 'lengthutf8', 'char_length') ?? [];
  if (key === undefined || keyType(subject, key)?.name !== 'String') return undefined;
  return operator === '=' && numberOf(subject, right) === 0 ? `${written(subject, key)} = ''` : undefined;
};

/** Different values have different results of these functions. */
const INJECTIVE: ReadonlySet<string> = new Set([
  'hex',
  'reverse',
  'base64encode',
  'tostring',
  'bin',
  'uuidstringtonum',
  'ipv4numtostring',
]);

/** `hex(key) = hex('a')`. */
const sameFunction: Rewrite = (subject, { left, operator, right }) => {
  if (operator !== '=' || left.kind !== 'call' || right.kind !== 'call') return undefined;
  const name = written(subject, left).split('(')[0]?.trim().toLowerCase() ?? '';
  if (!INJECTIVE.has(name)) return undefined;
  const [key, ...others] = calledWith(subject, left, name) ?? [];
  const [value] = calledWith(subject, right, name) ?? [];
  if (key === undefined || others.length > 0 || value === undefined) return undefined;
  if (keyType(subject, key)?.name !== 'String') return undefined;
  return `${written(subject, key)} = ${written(subject, value)}`;
};

/** `toUInt64OrZero(toString(key)) = 5`, and `toDecimal64(key, 2) = 5`. */
const numberCast: Rewrite = (subject, { left, operator, right }) => {
  if (left.kind !== 'call') return undefined;
  const number = numberOf(subject, right);
  const [outer = '', inner = ''] = written(subject, left).split('(');
  const [argument] = calledWith(subject, left, outer.trim().toLowerCase()) ?? [];
  const isText = /^toU?Int64(?:OrZero|OrNull)?$/.test(outer.trim()) && inner.trim() === 'toString';
  const isDecimal = /^toDecimal(?:64|128|256)$/.test(outer.trim());
  const [key] = isText ? (calledWith(subject, argument, 'tostring') ?? []) : isDecimal ? [argument] : [];
  const type = keyType(subject, key);
  if (key === undefined || type === undefined || integerOf(type) === undefined) return undefined;
  if (operator !== '=' || number === undefined || number === 0 || number > 2 ** 40) return undefined;
  return `${written(subject, key)} = ${written(subject, right)}`;
};

/** `greatest(key, 5) >= 7`, and `least(key, 7) <= 5`. */
const bounded: Rewrite = (subject, { left, operator, right }) => {
  const [greatest, least] = [calledWith(subject, left, 'greatest'), calledWith(subject, left, 'least')];
  const parts = greatest ?? least ?? [];
  const key = parts.find((each) => typeOfColumn(subject, each) !== undefined);
  const bound = numberOf(
    subject,
    parts.find((each) => each !== key),
  );
  const wanted = numberOf(subject, right);
  if (key === undefined || parts.length !== 2 || bound === undefined || wanted === undefined)
    return undefined;
  const isAbove = wanted > bound && /^(?:=|>|>=)$/.test(operator);
  const isBelow = wanted < bound && /^(?:=|<|<=)$/.test(operator);
  if (greatest === undefined ? !isBelow : !isAbove) return undefined;
  return `${written(subject, key)} ${operator} ${written(subject, right)}`;
};

const REWRITES: readonly Rewrite[] = [
  emptyConcat,
  joinedParts,
  nullIf,
  substitute,
  beginning,
  position,
  firstPart,
  noLength,
  sameFunction,
  numberCast,
  bounded,
];
