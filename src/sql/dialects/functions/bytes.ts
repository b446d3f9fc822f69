// Bytes, and functions that return them as digits.
import { hexOf } from '../../clickhouse/bytes.ts';
import { quoteString } from '../../clickhouse/literal.ts';
import { taking } from '../function.ts';
import type { Rule, Rules } from '../context.ts';
import { sql, type Sql, text, value, type Kind, type Value } from '../value.ts';
import type { Traits } from '../traits.ts';

/** A literal each of whose characters is a byte: in MySQL, a string that is compared by its bytes. */
export function bytesLiteral(bytes: string, { hasBytes }: Traits): Value {
  const isPlain = /^[ -~]*$/.test(bytes);
  const own = isPlain ? quoteString(bytes) : `unhex('${hexOf(bytes)}')`;
  const kind = hasBytes ? 'bytes' : 'text';
  return { ...value(kind, own, false, { isBinary: true }), ...(isPlain ? { literal: bytes } : {}) };
}

/** A function of a string or of bytes. */
export const ofBytes =
  (kind: Kind, build: (own: Sql) => Sql): Rule =>
  (application) => {
    const own = application.arg(0);
    return value(kind, build(text(own)), false);
  };

/** hex, which of a number differs. */
export const hex: Rule = (application) => {
  const own = application.arg(0);
  if (own.type.kind !== 'text') return application.fail('hex is converted only for strings');
  return value('text', sql`hex(${text(own)})`, own.type.isNullable);
};

export const BYTES_FUNCTIONS: Rules = {
  ...taking('text', { md5: ofBytes('text', (own) => sql`lower(hex(MD5(${own})))`) }),
  ...taking('any', { hex }, 'decide'),
};
