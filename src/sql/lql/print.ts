// Prints a tree as normalized LQL that parses back to the same tree.
import { isForeignOperator } from './foreign-operators.ts';
import { HIDDEN } from './source.ts';
import { formatMicros, type Moment, type TimeValue } from './time.ts';
import type { Clause, FieldFilter, FieldValue, MessageFilter, FieldPath, Tree } from './tree.ts';
import { bareValue } from './value.ts';

/** The LQL of a tree returned by `parse`, its clauses separated by single spaces. */
export function print(tree: Tree): string {
  return tree.clauses.map(printClause).join(' ');
}

function printClause(each: Clause): string {
  switch (each.kind) {
    case 'from':
      return `f:${each.table.text}`;
    case 'select':
      return `s:${printPath(each.path)}${each.alias === undefined ? '' : `@${each.alias.text}`}`;
    case 'aggregate':
      return `c:${each.function}(${printPath(each.path)})`;
    case 'bucket':
      return `c:group_by(t::${each.period})`;
    case 'timestamp':
      return `${minus(each)}t${each.operator}${printTime(each.value)}`;
    case 'field':
      return printField(each);
    case 'message':
      return printMessage(each);
  }
}

function minus({ negated }: { readonly negated: boolean }): string {
  return negated ? '-' : '';
}

/** A path as LQL has it; `*` without one. */
export function printPath(path: FieldPath | undefined): string {
  if (path === undefined) return '*';
  const [first = '', ...rest] = path.segments;
  if (first === 'metadata' && rest.length > 0) return ['m', ...rest.map(printSegment)].join('.');
  // As words, they would be a clause of another kind, or short for metadata.
  const isShort = rest.length === 0 ? KEYWORD.test(first) : first === 'm';
  return [isShort ? quote(first) : printSegment(first), ...rest.map(printSegment)].join('.');
}

const KEYWORD = /^(?:f|from|s|select|t|timestamp)$/;

function printSegment(segment: string): string {
  return /^\w+$/.test(segment) ? segment : quote(segment);
}

function printField(clause: FieldFilter): string {
  return `${minus(clause)}${printPath(clause.path)}${clause.operator}${printValues(clause)}`;
}

function printValues(clause: FieldFilter): string {
  const texts = clause.values.map(({ value }) => printValue(value, clause));
  return texts.length === 1 ? texts.join('') : `(${texts.join('|')})`;
}

function printValue(value: FieldValue, { path, operator }: FieldFilter): string {
  switch (value.kind) {
    case 'null':
      return 'NULL';
    case 'boolean':
      return String(value.value);
    case 'number':
    case 'time':
      return value.text;
    case 'range':
      return `${value.from}..${value.to}`;
    case 'text': {
      const bare = PLAIN_VALUE.test(value.text) ? bareValue(value.text, operator, path) : undefined;
      const isText = bare !== undefined && 'kind' in bare && bare.kind === 'text';
      return isText ? value.text : quote(value.text);
    }
  }
}

// Printed bare only if it can be parsed as nothing but text: no operator, parenthesis or quote at the start or inside.
const PLAIN_VALUE = /^[\w/.-][\w/.:+-]*$/;
const PLAIN_TERM = /^\w[\w/.+-]*$/;
const PLAIN_REGEX = new RegExp(`^[^${HIDDEN}"~][^${HIDDEN}"]*$`);

function printMessage(clause: MessageFilter): string {
  const { text } = clause.value;
  if (clause.match === 'regex') return `${minus(clause)}~${PLAIN_REGEX.test(text) ? text : quote(text)}`;
  const isPlain = PLAIN_TERM.test(text) && !isForeignOperator(text);
  return `${minus(clause)}${isPlain ? text : quote(text)}`;
}

function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, String.raw`\$&`)}"`;
}

function printTime(value: TimeValue): string {
  switch (value.kind) {
    case 'instant':
    case 'day':
      return printMoment(value);
    case 'range':
      return `${printMoment(value.from)}..${printMoment(value.to)}`;
    case 'now':
    case 'today':
    case 'yesterday':
      return value.kind;
    case 'this':
      return `this@${value.unit}`;
    case 'last':
      return `last@${value.count}${value.unit}${value.count === 1 ? '' : 's'}`;
  }
}

function printMoment({ kind, micros, zoned }: Moment): string {
  const text = formatMicros(micros);
  if (kind === 'day') return text.slice(0, 10);
  return `${text.replace(' ', 'T')}${zoned ? 'Z' : ''}`;
}
