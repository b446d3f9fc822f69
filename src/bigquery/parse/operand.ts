// Parses operands: constants, paths, parentheses, calls, and forms with their own keyword.
import { parseCall } from './call.ts';
import { replacementFor } from '../functions/unsupported.ts';
import { isQueryAhead, parseAlias } from './clauses.ts';
import type { Reader } from './reader.ts';
import { syntax, tooLarge, untranslated } from '../translation-error.ts';
import type { Expression, Field, IndexBase, Name, TypeName, Unit } from '../../sql/syntax-tree.ts';

const MAX_SUFFIXES = 64;

/** A value with its accessors: `.field`, `[OFFSET(0)]`, and PostgreSQL's casts: `::type`. */
export function parseOperand(reader: Reader): Expression {
  let value = parseValue(reader);
  for (let count = 0; ; count++) {
    if (count > MAX_SUFFIXES) tooLarge(reader.at(), `A path may have at most ${MAX_SUFFIXES} parts`);
    const { at } = value;
    if (reader.isSymbol('.') && !reader.isSymbol('*', 1)) {
      reader.next();
      const name = anyName(reader);
      value =
        value.kind === 'path'
          ? { kind: 'path', at, parts: [...value.parts, name] }
          : { kind: 'field', at, of: value, name };
    } else if (reader.isSymbol('[')) value = parseIndex(reader, value);
    else if (reader.takeSymbol('::'))
      value = { kind: 'cast', at, value, type: parseType(reader), isSafe: false };
    else if (reader.isSymbol('(') && value.kind === 'path') rejectCall(value.parts);
    else return value;
  }
}

/** Calls of undotted names are parsed earlier: this name has dots. */
function rejectCall(parts: readonly Name[]): never {
  const name = parts.map((part) => part.name).join('.');
  return untranslated(parts[0]?.at ?? 0, `${name.slice(0, 100)} is not supported`, replacementFor(name));
}

/** After a dot, every keyword is a name. */
function anyName(reader: Reader): Name {
  const { kind, text, start } = reader.peek();
  if (kind !== 'word' && kind !== 'quoted') reader.reject('a name');
  reader.next();
  return { name: text, at: start };
}

const INDEXES: ReadonlyMap<string | undefined, IndexBase> = new Map<string, IndexBase>([
  ['OFFSET', 0],
  ['SAFE_OFFSET', 0],
  ['ORDINAL', 1],
  ['SAFE_ORDINAL', 1],
]);

function parseIndex(reader: Reader, of: Expression): Expression {
  reader.expectSymbol('[');
  const base = reader.isSymbol('(', 1) ? INDEXES.get(reader.word()) : undefined;
  if (base !== undefined) {
    reader.next();
    reader.next();
  }
  const index = reader.grammar.expression(reader);
  if (base !== undefined) reader.expectSymbol(')');
  reader.expectSymbol(']');
  return { kind: 'index', at: of.at, of, index, base: base ?? 0 };
}

function parseValue(reader: Reader): Expression {
  const { kind, text, start: at } = reader.peek();
  if (kind === 'string') {
    reader.next();
    return { kind: 'string', at, value: text };
  }
  if (kind === 'number') {
    reader.next();
    return { kind: 'number', at, text };
  }
  if (reader.isSymbol('(')) return parseBrackets(reader);
  if (reader.isSymbol('[')) return parseArray(reader);
  const special = kind === 'word' ? FORMS.get(reader.word() ?? '')?.(reader, at) : undefined;
  if (special !== undefined) return special;
  return parseNamed(reader, at);
}

function parseNamed(reader: Reader, at: number): Expression {
  const call = parseCall(reader);
  if (call !== undefined) return call;
  const name = reader.name('a value');
  return { kind: 'path', at, parts: [name] };
}

/** Returns undefined if the keyword is a name here. */
type ReadForm = (reader: Reader, at: number) => Expression | undefined;

const FORMS: ReadonlyMap<string, ReadForm> = new Map<string, ReadForm>([
  ['NULL', (reader, at) => constant(reader, { kind: 'null', at })],
  ['TRUE', (reader, at) => constant(reader, { kind: 'boolean', at, value: true })],
  ['FALSE', (reader, at) => constant(reader, { kind: 'boolean', at, value: false })],
  ['CASE', parseCase],
  ['CAST', (reader, at) => parseCast(reader, at, false)],
  ['SAFE_CAST', (reader, at) => parseCast(reader, at, true)],
  ['EXTRACT', parseExtract],
  ['INTERVAL', parseInterval],
  ['ARRAY', parseArrayForm],
  ['STRUCT', parseStruct],
  ['EXISTS', parseExists],
  ['TIMESTAMP', (reader, at) => parseTime(reader, at, 'timestamp')],
  ['DATETIME', (reader, at) => parseTime(reader, at, 'datetime')],
  ['DATE', (reader, at) => parseTime(reader, at, 'date')],
]);

function constant(reader: Reader, value: Expression): Expression {
  reader.next();
  return value;
}

function parseTime(reader: Reader, at: number, type: 'timestamp' | 'datetime' | 'date') {
  if (reader.peek(1).kind !== 'string') return undefined;
  reader.next();
  return { kind: 'time', at, type, value: reader.next().text } as const;
}

function parseBrackets(reader: Reader): Expression {
  const at = reader.at();
  reader.expectSymbol('(');
  if (isQueryAhead(reader)) {
    const query = reader.grammar.query(reader);
    reader.expectSymbol(')');
    return { kind: 'query', at, form: 'value', query };
  }
  const first = reader.grammar.expression(reader);
  if (reader.isSymbol(',')) untranslated(at, 'Tuples are not supported', 'Compare the values one by one.');
  reader.expectSymbol(')');
  return first;
}

function parseArray(reader: Reader): Expression {
  const at = reader.at();
  reader.expectSymbol('[');
  const items: Expression[] = [];
  while (!reader.isSymbol(']')) {
    items.push(reader.grammar.expression(reader));
    if (!reader.takeSymbol(',')) break;
  }
  reader.expectSymbol(']');
  return { kind: 'array', at, items };
}

function parseArrayForm(reader: Reader, at: number): Expression {
  reader.next();
  if (reader.isSymbol('<')) parseTypeArguments(reader);
  if (reader.isSymbol('[')) return parseArray(reader);
  reader.expectSymbol('(');
  const query = reader.grammar.query(reader);
  reader.expectSymbol(')');
  return { kind: 'query', at, form: 'array', query };
}

function parseExists(reader: Reader, at: number): Expression {
  reader.next();
  reader.expectSymbol('(');
  const query = reader.grammar.query(reader);
  reader.expectSymbol(')');
  return { kind: 'query', at, form: 'exists', query };
}

function parseStruct(reader: Reader, at: number): Expression {
  reader.next();
  if (reader.isSymbol('<'))
    untranslated(at, 'STRUCT with types is not supported', 'Write STRUCT(value AS name).');
  reader.expectSymbol('(');
  const fields: Field[] = [];
  while (!reader.isSymbol(')')) {
    const value = reader.grammar.expression(reader);
    const alias = parseAlias(reader);
    fields.push({ value, ...(alias === undefined ? {} : { alias }) });
    if (!reader.takeSymbol(',')) break;
  }
  reader.expectSymbol(')');
  return { kind: 'struct', at, fields };
}

function parseCase(reader: Reader, at: number): Expression {
  reader.next();
  const subject = reader.word() === 'WHEN' ? undefined : reader.grammar.expression(reader);
  const branches: { when: Expression; result: Expression }[] = [];
  while (reader.take('WHEN')) {
    const when = reader.grammar.expression(reader);
    reader.expect('THEN');
    branches.push({ when, result: reader.grammar.expression(reader) });
  }
  if (branches.length === 0) reader.reject('WHEN');
  const otherwise = reader.take('ELSE') ? reader.grammar.expression(reader) : undefined;
  reader.expect('END');
  return {
    kind: 'case',
    at,
    branches,
    ...(subject === undefined ? {} : { subject }),
    ...(otherwise === undefined ? {} : { otherwise }),
  };
}

function parseCast(reader: Reader, at: number, isSafe: boolean): Expression | undefined {
  if (!reader.isSymbol('(', 1)) return undefined;
  reader.next();
  reader.expectSymbol('(');
  const value = reader.grammar.expression(reader);
  reader.expect('AS');
  const type = parseType(reader);
  if (reader.word() === 'FORMAT') {
    untranslated(
      reader.at(),
      'CAST with FORMAT is not supported',
      'Write FORMAT_TIMESTAMP or PARSE_TIMESTAMP.',
    );
  }
  reader.expectSymbol(')');
  return { kind: 'cast', at, value, type, isSafe };
}

function parseType(reader: Reader): TypeName {
  return reader.nest(() => {
    const { kind, text, start } = reader.peek();
    if (kind !== 'word') reader.reject('a type such as STRING');
    reader.next();
    const sizes: number[] = [];
    if (reader.takeSymbol('(')) {
      do {
        if (reader.peek().kind !== 'number') reader.reject('a size');
        sizes.push(Number(reader.next().text));
      } while (reader.takeSymbol(','));
      reader.expectSymbol(')');
    }
    const name = { name: text.toUpperCase(), at: start, ...(sizes.length === 0 ? {} : { sizes }) };
    return reader.isSymbol('<') ? { ...name, of: parseTypeArguments(reader) } : name;
  });
}

function parseTypeArguments(reader: Reader): TypeName {
  reader.expectSymbol('<');
  const of = parseType(reader);
  reader.expectSymbol('>');
  return of;
}

function parseExtract(reader: Reader, at: number): Expression | undefined {
  if (!reader.isSymbol('(', 1)) return undefined;
  reader.next();
  reader.expectSymbol('(');
  const part = parseUnit(reader);
  reader.expect('FROM');
  const value = reader.grammar.expression(reader);
  const zone = reader.take('AT', 'TIME', 'ZONE') ? reader.grammar.expression(reader) : undefined;
  reader.expectSymbol(')');
  return { kind: 'extract', at, part, value, ...(zone === undefined ? {} : { zone }) };
}

function parseUnit(reader: Reader): Unit {
  const { kind, text, start } = reader.peek();
  if (kind !== 'word') reader.reject('a unit such as HOUR');
  reader.next();
  const unit = { name: text.toUpperCase(), at: start };
  if (!reader.takeSymbol('(')) return unit;
  const day = reader.word();
  reader.next();
  reader.expectSymbol(')');
  return { ...unit, day: day ?? syntax(start, 'Expected a day such as MONDAY') };
}

function parseInterval(reader: Reader, at: number): Expression {
  reader.next();
  const written = writtenInterval(reader);
  if (written !== undefined) return written;
  const value = reader.grammar.expression(reader);
  if (reader.peek().kind !== 'word') reader.reject('a unit such as HOUR', 'Write INTERVAL 1 HOUR.');
  const unit = parseUnit(reader);
  if (reader.word() === 'TO') untranslated(reader.at(), 'Intervals of several units are not supported');
  return { kind: 'interval', at, value, unit };
}

/** PostgreSQL's `INTERVAL '1 hour'`. */
function writtenInterval(reader: Reader): Expression | undefined {
  const { kind, text, start: at } = reader.peek();
  const [, count, unit] = kind === 'string' ? (/^\s*([+-]?\d{1,9})\s*([a-z]+?)s?\s*$/i.exec(text) ?? []) : [];
  if (count === undefined || unit === undefined) return undefined;
  reader.next();
  return {
    kind: 'interval',
    at,
    value: { kind: 'number', at, text: count },
    unit: { name: unit.toUpperCase(), at },
  };
}
