// The syntax tree of an LQL query: clauses in source order, each with its location.
import type { TextSpan } from '../base/finding.ts';
import type { TimeValue } from './time.ts';

/** A parsed query. Not guaranteed: that its tables and columns exist. */
export interface Tree {
  readonly clauses: readonly Clause[];
}

/** Any clause; several of one kind are findings of `clause-conflicts.ts`. */
export type Clause = From | Select | Aggregate | Bucket | Filter;

/** A clause that filters rows. */
export type Filter = TimestampFilter | FieldFilter | MessageFilter;

/** A piece of source text with its location. */
export interface Word {
  readonly text: string;
  readonly span: TextSpan;
}

/** `m.a.b` is `['metadata', 'a', 'b']`, `a."b c"` is `['a', 'b c']`. */
export interface FieldPath {
  readonly segments: readonly string[];
  readonly span: TextSpan;
}

/** The table to read. */
export interface From {
  readonly kind: 'from';
  readonly table: Word;
  readonly span: TextSpan;
}

/** `path` is absent for `*`. */
export interface Select {
  readonly kind: 'select';
  readonly path?: FieldPath;
  readonly alias?: Word;
  readonly span: TextSpan;
}

/** `path` is absent for `*`. */
export interface Aggregate {
  readonly kind: 'aggregate';
  readonly function: AggregateFunction;
  readonly path?: FieldPath;
  readonly span: TextSpan;
}

export const AGGREGATES = ['count', 'countd', 'avg', 'sum', 'min', 'max', 'p50', 'p95', 'p99'] as const;
/** The aggregates of charts, as written. */
export type AggregateFunction = (typeof AGGREGATES)[number];

/** The time bucket of a chart. */
export interface Bucket {
  readonly kind: 'bucket';
  readonly period: Period;
  readonly span: TextSpan;
}

/** The widths of a chart's time buckets. */
export type Period = 'second' | 'minute' | 'hour' | 'day';

interface TimestampFilter {
  readonly kind: 'timestamp';
  readonly negated: boolean;
  readonly path: FieldPath;
  readonly operator: Comparison;
  readonly value: TimeValue;
  readonly valueSpan: TextSpan;
  readonly span: TextSpan;
}

/** Operator and values are compatible. Not guaranteed: that the values fit the column. */
export interface FieldFilter {
  readonly kind: 'field';
  readonly negated: boolean;
  readonly path: FieldPath;
  readonly operator: Operator;
  /** One of them has to match; never empty, and several only with `:` and `:@>`. */
  readonly values: readonly LocatedValue[];
  readonly span: TextSpan;
}

/** A value of a field filter with its location. */
export interface LocatedValue {
  readonly value: FieldValue;
  readonly span: TextSpan;
}

/** A term: the message contains it, or matches it as a regular expression. */
export interface MessageFilter {
  readonly kind: 'message';
  readonly negated: boolean;
  readonly match: 'contains' | 'regex';
  readonly value: Word;
  readonly span: TextSpan;
}

/** Operators that compare a value with one or two others. */
export type Comparison = ':' | ':>' | ':>=' | ':<' | ':<=';
/** All operators of field filters; `~` matches, `@>` searches an array. */
export type Operator = Comparison | ':~' | ':@>' | ':@>~';

/** The value of a field filter, by kind. */
export type FieldValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** As written: `-?digits[.digits]`, at most 38 digits. */
  | { readonly kind: 'number'; readonly text: string }
  /** Bare text with the shape of a date or time, not validated against the calendar. */
  | { readonly kind: 'time'; readonly text: string }
  /** Quoted, parenthesized or any other text; the regular expression of `:~` and `:@>~`. */
  | { readonly kind: 'text'; readonly text: string }
  | ValueRange;

/** Both ends inclusive and as written; the first is not greater than the second. */
export interface ValueRange {
  readonly kind: 'range';
  readonly of: 'number' | 'time' | 'level';
  readonly from: string;
  readonly to: string;
}

/** Values of `metadata.level`, in ascending severity. */
export const LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
