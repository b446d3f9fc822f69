// Bytes, and functions that return or read them: hashes, and encodings.
import { quoteString } from '../../sql/literal.ts';
import { taking } from '../behaviour.ts';
import { byDialect, type Rule, type Rules } from '../function.ts';
import { sql, type Sql } from '../sql.ts';
import { text, value, type Kind, type Value } from '../value.ts';

/** A literal each of whose characters is a byte: in MySQL, a string that is compared by its bytes. */
export function bytesLiteral(bytes: string, dialect: string): Value {
  const isPlain = /^[ -~]*$/.test(bytes);
  const own = isPlain ? quoteString(bytes) : `unhex('${Buffer.from(bytes, 'latin1').toString('hex')}')`;
  const kind = dialect === 'bigquery' ? 'bytes' : 'text';
  return { ...value(kind, own, false, { isBinary: true }), ...(isPlain ? { literal: bytes } : {}) };
}

const of =
  (kind: Kind, build: (own: Sql) => Sql): Rule =>
  (application) => {
    const own = application.arg(0);
    return value(kind, build(text(own)), false);
  };

const returnsBytes: Rule = ({ fail, call }) => fail(`${call.name} returns bytes and is not converted`);

/** A hash: bytes in BigQuery, hexadecimal digits in others. */
const hash = (name: string): Rule =>
  byDialect({
    bigquery: of('bytes', (own) => sql`${name}(${own})`),
    trino: returnsBytes,
    others: of('text', (own) => sql`lower(hex(${name}(${own})))`),
  });

const ofBytes = (name: string): Rule => byDialect({ bigquery: of('bytes', (own) => sql`${name}(${own})`) });

/** Hexadecimal digits as bytes; other characters are an error. */
const fromHex: Rule = byDialect({
  bigquery: (application) => {
    const digits = of('text', (own) => own)(application).sql;
    const isValid = sql`match(${digits}, '^[0-9A-Fa-f]*$')`;
    return value('bytes', sql`unhex(concat(${digits}, repeat('', 0 % ${isValid})))`, false);
  },
});

/** hex of a number differs; in SQLite, NULL has no bytes. */
const hex: Rule = (application) => {
  const own = application.arg(0);
  if (own.type.kind !== 'text') return application.fail('hex is converted only for strings');
  const digits = sql`hex(${text(own)})`;
  if (application.dialect !== 'sqlite') return value('text', digits, own.type.isNullable);
  return value('text', own.type.isNullable ? sql`ifNull(${digits}, '')` : digits, false);
};

export const BYTES_FUNCTIONS: Rules = {
  ...taking('text', {
    md5: hash('MD5'),
    sha1: ofBytes('SHA1'),
    sha256: ofBytes('SHA256'),
    sha512: ofBytes('SHA512'),
    farm_fingerprint: byDialect({ bigquery: of('int', (own) => sql`toInt64(farmFingerprint64(${own}))`) }),
    to_hex: byDialect({ bigquery: of('text', (own) => sql`lower(hex(${own}))`) }),
    from_hex: fromHex,
    to_base64: byDialect({ bigquery: of('text', (own) => sql`base64Encode(${own})`) }),
    from_base64: byDialect({ bigquery: of('bytes', (own) => sql`base64Decode(${own})`) }),
  }),
  ...taking('any', { hex }, 'decide'),
};
