// Literals and parameters.
import { quoteString } from '../../clickhouse/literal.ts';
import { syntax, unconverted, type Context } from '../context.ts';
import { bytesLiteral } from '../functions/strings.ts';
import { literalTo } from '../time/cast.ts';
import type { Of } from '../tree.ts';
import { loose, value, type Type, type Value } from '../value.ts';

function writeNumber({ text: digits, at }: Of<'number'>, { shared }: Context): Value {
  const plain = digits.replace(/^(-?)\./, '$10.').replace(/\.(?!\d)/, '.0');
  const literal = shared.isStrict ? { literal: plain } : {};
  const isWhole = /^-?(?:\d+|0[xX].*)$/.test(plain);
  const isFloat = /e/i.test(plain) || shared.traits.hasFloatNumbers;
  const [, fraction = ''] = plain.split('.');
  const more = isWhole ? integerType(plain, at, shared.isStrict) : isFloat ? {} : { scale: fraction.length };
  const kind = isWhole ? 'int' : isFloat ? 'float' : 'numeric';
  // Two signs would begin a comment.
  return { ...(plain.startsWith('-') ? loose : value)(kind, plain, false, more), ...literal };
}

function integerType(plain: string, at: number, isStrict: boolean): Partial<Type> {
  const number = BigInt(plain.replace('-', '')) * (plain.startsWith('-') ? -1n : 1n);
  const isWide = BigInt.asIntN(64, number) !== number;
  if (isWide && isStrict) return syntax(at, `${plain} is not a 64-bit integer`);
  const bytes = BigInt.asIntN(32, number) === number && !isStrict ? { bytes: 4 } : {};
  return { scale: 0, ...bytes, ...(isWide ? {} : { bits: number.toString(2).replace('-', '').length }) };
}

export const LITERALS = {
  unread: ({ at, reason }: Of<'unread'>): never => unconverted(at, 'expression', `Not converted: ${reason}`),
  parameter: ({ name }: Of<'parameter'>) => value('unknown', `@${name}`),
  null: () => value('null', 'NULL'),
  boolean: ({ value: own }: Of<'boolean'>) => value('bool', own ? 'true' : 'false', false),
  string: ({ value: text }: Of<'string'>) => ({
    ...value('text', quoteString(text), false),
    literal: text,
  }),
  bytes: ({ value: bytes }: Of<'bytes'>, { shared }: Context) => bytesLiteral(bytes, shared.traits),
  number: writeNumber,
  time: ({ type, value: written, at }: Of<'time'>, context: Context) =>
    literalTo(type, written, { at, context }),
};
