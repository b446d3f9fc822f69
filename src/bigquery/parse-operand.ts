// Parses operands: constants, paths, parentheses, calls, and forms with their own keyword.
import { parseCall } from './parse-call.ts';
import { insteadOf } from './unsupported-functions.ts';
import { isQueryAhead, parseAlias } from './parse-clauses.ts';
import type { Reader } from './reader.ts';
import { syntax, tooLarge, untranslated } from './refusal.ts';
import type { Expression, Field, IndexBase, Name, TypeName, Unit } from './tree.ts';

const MAX_SUFFIXES = 64;

/** A value with its accessors: `.field`, `[OFFSET(0)]`. */
export function parseOperand(reader: Reader): Expression {
  let value = parseValue(reader);
  for (let count = 0; ; count++) {
    if (count > MAX_SUFFIXES) tooLarge(reader.at(), `A path may have at most ${MAX_SUFFIXES} parts`);
    const { at } = value;
    if (reader.isSign('.') && !reader.isSign('*', 1)) {
      reader.next();
      const name = anyName(reader);
      value =
        value.kind === 'path'
          ? { kind: 'path', at, parts: [...value.parts, name] }
          : { kind: 'field', at, of: value, name };
    } else if (reader.isSign('[')) value = parseIndex(reader, value);
    else if (reader.isSign('(') && value.kind === 'path') rejectCall(value.parts);
    else return value;
  }
}

/** Calls of undotted names are parsed earlier: this name has dots. */
function rejectCall(parts: readonly Name[]): never {
  const name = parts.map((part) => part.name).join('.');
  return untranslated(parts[0]?.at ?? 0, `${name.slice(0, 100)} is not translated`, insteadOf(name));
}

/** After a dot, every keyword is a name. */
function anyName(reader: Reader): Name {
  const { kind, text, start } = reader.peek();
  if (kind !== 'word' && kind !== 'quoted') reader.refuse('a name');
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
  reader.expectSign('[');
  const base = reader.isSign('(', 1) ? INDEXES.get(reader.word()) : undefined;
  if (base !== undefined) {
    reader.next();
    reader.next();
  }
  const index = reader.grammar.expression(reader);
  if (base !== undefined) reader.expectSign(')');
  reader.expectSign(']');
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
  if (reader.isSign('(')) return parseBrackets(reader);
  if (reader.isSign('[')) return parseArray(reader);
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
  reader.expectSign('(');
  if (isQueryAhead(reader)) {
    const query = reader.grammar.query(reader);
    reader.expectSign(')');
    return { kind: 'query', at, form: 'value', query };
  }
  const first = reader.grammar.expression(reader);
  if (reader.isSign(',')) untranslated(at, 'Tuples are not translated', 'Compare the values one by one.');
  reader.expectSign(')');
  return first;
}

function parseArray(reader: Reader): Expression {
  const at = reader.at();
  reader.expectSign('[');
  const items: Expression[] = [];
  while (!reader.isSign(']')) {
    items.push(reader.grammar.expression(reader));
    if (!reader.takeSign(',')) break;
  }
  reader.expectSign(']');
  return { kind: 'array', at, items };
}

function parseArrayForm(reader: Reader, at: number): Expression {
  reader.next();
  if (reader.isSign('<')) parseTypeArguments(reader);
  if (reader.isSign('[')) return parseArray(reader);
  reader.expectSign('(');
  const query = reader.grammar.query(reader);
  reader.expectSign(')');
  return { kind: 'query', at, form: 'array', query };
}

function parseExists(reader: Reader, at: number): Expression {
  reader.next();
  reader.expectSign('(');
  const query = reader.grammar.query(reader);
  reader.expectSign(')');
  return { kind: 'query', at, form: 'exists', query };
}

function parseStruct(reader: Reader, at: number): Expression {
  reader.next();
  if (reader.isSign('<'))
    untranslated(at, 'STRUCT with types is not translated', 'Write STRUCT(value AS name).');
  reader.expectSign('(');
  const fields: Field[] = [];
  while (!reader.isSign(')')) {
    const value = reader.grammar.expression(reader);
    const alias = parseAlias(reader);
    fields.push({ value, ...(alias === undefined ? {} : { alias }) });
    if (!reader.takeSign(',')) break;
  }
  reader.expectSign(')');
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
  if (branches.length === 0) reader.refuse('WHEN');
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
  if (!reader.isSign('(', 1)) return undefined;
  reader.next();
  reader.expectSign('(');
  const value = reader.grammar.expression(reader);
  reader.expect('AS');
  const type = parseType(reader);
  if (reader.word() === 'FORMAT') {
    untranslated(
      reader.at(),
      'CAST with FORMAT is not translated',
      'Write FORMAT_TIMESTAMP or PARSE_TIMESTAMP.',
    );
  }
  reader.expectSign(')');
  return { kind: 'cast', at, value, type, isSafe };
}

function parseType(reader: Reader): TypeName {
  return reader.nest(() => {
    const { kind, text, start } = reader.peek();
    if (kind !== 'word') reader.refuse('a type such as STRING');
    reader.next();
    const name = { name: text.toUpperCase(), at: start };
    if (reader.takeSign('(')) {
      while (reader.peek().kind === 'number' || reader.isSign(',')) reader.next();
      reader.expectSign(')');
    }
    return reader.isSign('<') ? { ...name, of: parseTypeArguments(reader) } : name;
  });
}

function parseTypeArguments(reader: Reader): TypeName {
  reader.expectSign('<');
  const of = parseType(reader);
  reader.expectSign('>');
  return of;
}

function parseExtract(reader: Reader, at: number): Expression | undefined {
  if (!reader.isSign('(', 1)) return undefined;
  reader.next();
  reader.expectSign('(');
  const part = parseUnit(reader);
  reader.expect('FROM');
  const value = reader.grammar.expression(reader);
  const zone = reader.take('AT', 'TIME', 'ZONE') ? reader.grammar.expression(reader) : undefined;
  reader.expectSign(')');
  return { kind: 'extract', at, part, value, ...(zone === undefined ? {} : { zone }) };
}

function parseUnit(reader: Reader): Unit {
  const { kind, text, start } = reader.peek();
  if (kind !== 'word') reader.refuse('a unit such as HOUR');
  reader.next();
  const unit = { name: text.toUpperCase(), at: start };
  if (!reader.takeSign('(')) return unit;
  const day = reader.word();
  reader.next();
  reader.expectSign(')');
  return { ...unit, day: day ?? syntax(start, 'Expected a day such as MONDAY') };
}

function parseInterval(reader: Reader, at: number): Expression {
  reader.next();
  const value = reader.grammar.expression(reader);
  const unit = parseUnit(reader);
  if (reader.word() === 'TO') untranslated(reader.at(), 'Intervals of several units are not translated');
  return { kind: 'interval', at, value, unit };
}
