// Which conversions and comparisons of the engine keep different values apart, by the types of both sides: what is not
// listed may merge values, such as numbers that wrap around, rounded decimals, or UUIDs in upper and lower case.
import { typesOf, type Expression } from '../tree/nodes.ts';

/** The type of an expression as the engine prints it; '' if it has none. */
export function typeOf(expression: Expression): string {
  switch (expression.kind) {
    case 'column':
    case 'parameter':
    case 'constant':
    case 'function':
      return expression.type;
    case 'subquery': {
      const [type = '', ...rest] = typesOf(expression.query);
      return rest.length === 0 ? type : '';
    }
    case 'lambda':
    case 'list':
    case 'table_set':
      return '';
  }
}

/** Whether values of the type can be NULL, as far as it says. */
export function isNullable(type: string): boolean {
  return /^(?:LowCardinality\()?Nullable\(/.test(type) || /^(?:Dynamic|Variant|Nothing)/.test(type);
}

/** Without LowCardinality and Nullable. */
function plainType(type: string): string {
  let plain = type;
  for (const wrapper of ['LowCardinality(', 'Nullable(']) {
    if (plain.startsWith(wrapper) && plain.endsWith(')')) plain = plain.slice(wrapper.length, -1);
  }
  return plain;
}

interface Integer {
  readonly isSigned: boolean;
  readonly bits: number;
}

function integerOf(type: string): Integer | undefined {
  const [, unsigned, bits] = /^(U?)Int(8|16|32|64|128|256)$/.exec(type) ?? [];
  return bits === undefined ? undefined : { isSigned: unsigned === '', bits: Number(bits) };
}

/** Whether a type has each value of the other. */
function holds(target: Integer, source: Integer): boolean {
  if (target.isSigned === source.isSigned) return target.bits >= source.bits;
  return target.isSigned && target.bits > source.bits;
}

/** Whether a value is the same in another type: strings in LowCardinality, and integers in a larger type. */
export function isSameValue(source: string, target: string): boolean {
  const [from, to] = [plainType(source), plainType(target)];
  const [before, after] = [integerOf(from), integerOf(to)];
  return from === to || (before !== undefined && after !== undefined && holds(after, before));
}

const WITH_TEXT =
  /^(?:UUID|Date|Date32|IPv4|IPv6|Bool|Dynamic(?:\(.*\))?|Enum(?:8|16)\(.*\)|FixedString\(\d+\))$/s;
const FROM_TEXT = /^(?:UUID|IPv4|IPv6|Enum(?:8|16)\(.*\)|FixedString\(\d+\))$/s;
/** Types whose values compare equal only if they are the same. */
const EXACT = /^(?:String|UUID|Date|Date32|DateTime.*|Decimal.*|IPv4|IPv6|Bool|Dynamic(?:\(.*\))?|Enum(?:8|16)\(.*\)|FixedString\(\d+\))$/s; // prettier-ignore

/** Whether a conversion of stored values has another result for each value. */
export function keepsApart(source: string, target: string, isAccurate: boolean): boolean {
  const [from, to] = [plainType(source), plainType(target)];
  if (from === to) return EXACT.test(from) || integerOf(from) !== undefined;
  const [before, after] = [integerOf(from), integerOf(to)];
  if (before !== undefined && after !== undefined) return isAccurate || holds(after, before);
  return to === 'String' && (before !== undefined || WITH_TEXT.test(from));
}

/** The same for a conversion of the parameter: different texts of one identifier count as the same value. */
export function keepsParameter(source: string, target: string, isAccurate: boolean): boolean {
  if (keepsApart(source, target, isAccurate)) return true;
  if (plainType(source) !== 'String') return false;
  const to = plainType(target);
  return FROM_TEXT.test(to) || (isAccurate && integerOf(to) !== undefined);
}

/** Whether a column equals at most one value of its type when it is compared with a value of another type. */
export function isExact(column: string, value: string): boolean {
  const [own, other] = [plainType(column), plainType(value)];
  const isInteger = integerOf(own) !== undefined;
  if (own === other) return EXACT.test(own) || isInteger;
  if (isInteger) return integerOf(other) !== undefined;
  if (other === 'String') return FROM_TEXT.test(own) || /^(?:Date|Date32|Dynamic(?:\(.*\))?)$/.test(own);
  return own === 'String' && other.startsWith('Enum');
}
