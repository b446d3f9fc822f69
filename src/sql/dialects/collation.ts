// Strings that are compared without regard to case, as MySQL does.
import { quoteString } from '../clickhouse/literal.ts';
import { note, type Context } from './context.ts';
import { sql, type Sql } from './sql.ts';
import { text, type Value } from './value.ts';

const LETTERS = /\p{L}/u;

const isText = (each: Value): boolean => each.type.kind === 'text';

/** In MySQL, strings are compared without regard to case. */
export function caseless(own: Value, other: Value, context: Context): Value {
  const { shared } = context;
  if (!shared.traits.ignoresCase || own.type.isBinary === true || other.type.isBinary === true) return own;
  const isCompared =
    (isText(own) && isText(other)) ||
    (own.literal !== undefined && other.type.kind === 'unknown') ||
    (own.type.kind === 'unknown' && other.literal !== undefined && isText(other));
  const isPlain = [own, other].some((each) => each.literal !== undefined && !LETTERS.test(each.literal));
  if (!isCompared || isPlain) return own;
  noteCollation(context);
  if (own.literal !== undefined) return { ...own, sql: quoteString(own.literal.toLowerCase()) };
  return { ...own, sql: sql`lowerUTF8(${own.sql})`, isLoose: false };
}

/** A literal as such a key; undefined for other values. */
export function caselessLiteral({ literal, type }: Value, { shared }: Context): Sql | undefined {
  const isFolded = shared.traits.ignoresCase && type.isBinary !== true && type.kind === 'text';
  return isFolded && literal !== undefined ? quoteString(literal.toLowerCase()) : undefined;
}

/** A key of ORDER BY, GROUP BY or DISTINCT in which strings that differ only in case are equal. */
export function caselessKey(own: Value, context: Context): Value {
  const { shared } = context;
  if (
    !shared.traits.ignoresCase ||
    own.type.isBinary === true ||
    own.type.kind !== 'text' ||
    own.literal !== undefined
  )
    return own;
  noteCollation(context);
  return { ...own, sql: sql`lowerUTF8(${text(own)})`, isLoose: false };
}

/** Once per query. */
function noteCollation(context: Context): void {
  const message =
    'Strings are compared in lower case, as by collations whose names end in _ci; accents and spaces at the end make a difference, which many of them ignore';
  if (context.shared.notes.some((each) => each.message === message)) return;
  note(context, 'note', { at: 0, code: 'collation', message });
}
