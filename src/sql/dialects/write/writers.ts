// The writer of each kind of expression.
import { writeCast } from '../cast/cast.ts';
import type { Expression, Of } from '../tree.ts';
import type { Value } from '../value.ts';
import { writeBinary, writeInterval, writeUnary } from './arithmetic.ts';
import { CALLS } from './call.ts';
import { writeBetween } from './comparison.ts';
import type { Context } from '../context.ts';
import { ELEMENTS } from './element.ts';
import { writeLike } from './like.ts';
import { LITERALS } from './literal.ts';
import { writeCase, writeChain, writeIs } from './logic.ts';
import { writeIn, writeQuantified } from './membership.ts';
import { writeSubquery } from './subquery.ts';
import { writeCollation, writeExtract, writeZone } from './zone.ts';

type Writer<K extends Expression['kind']> = (expression: Of<K>, context: Context) => Value;

/** How each kind of expression is written. */
export const WRITERS: { readonly [K in Expression['kind']]: Writer<K> } = {
  ...LITERALS,
  interval: (span, context) => writeInterval([span], span.at, context),
  intervals: ({ parts, at }, context) => writeInterval(parts, at, context),
  ...ELEMENTS,
  ...CALLS,
  cast: writeCast,
  extract: writeExtract,
  at_zone: writeZone,
  collate: writeCollation,
  unary: writeUnary,
  binary: writeBinary,
  chain: writeChain,
  like: writeLike,
  between: writeBetween,
  in: writeIn,
  quantified: writeQuantified,
  is: writeIs,
  case: writeCase,
  query: writeSubquery,
};
