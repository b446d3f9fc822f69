// The redacted form of a value: an expression over it, and the type of its result.
import type { ColumnRules } from '../../redact/columns.ts';
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import { holdsNull } from '../../../sql/types/traits.ts';
import type { ClickHouseType } from '../../../sql/types/type.ts';
import type { TextFunctions } from './text-functions.ts';

/** What applies to values of an endpoint. */
export interface ValueSettings {
  /** It is true if detectors look for addresses. */
  readonly findsAddresses: boolean;
  /** Returns whether a detector finds something in a text that is part of a type. */
  readonly finds: (text: string) => boolean;
  /** What a masked value becomes. */
  readonly mask: string;
  readonly functions: TextFunctions;
}

/** A value, or a part of one. */
export interface Value {
  readonly sql: string;
  readonly type: ClickHouseType;
  /** Rules by name for it and for what is inside it. */
  readonly rules: ColumnRules | undefined;
  /** Number of lambdas around it. */
  readonly depth: number;
}

/** `same`: no value of the type can be personal data. `dropped`: nothing of it may be read. */
export type RedactedValue = { readonly kind: 'same' } | { readonly kind: 'dropped' } | ChangedValue;

/** `text`: the value before it is redacted, if it is a string or NULL and is redacted as one. */
export interface ChangedValue {
  readonly kind: 'changed';
  readonly sql: string;
  readonly type: string;
  readonly text?: string;
}

export const SAME: RedactedValue = { kind: 'same' };
export const DROPPED: RedactedValue = { kind: 'dropped' };

/** Redacts a part of a value. */
export type Redact = (value: Value) => RedactedValue;

export function changed(sql: string, type: string): RedactedValue {
  return { kind: 'changed', sql, type };
}

export function masked(value: Value, { mask }: ValueSettings): RedactedValue {
  return nullable(value, quoteString(mask));
}

export function nullable({ sql, type }: Value, instead: string): RedactedValue {
  if (!holdsNull(type)) return changed(instead, 'String');
  return changed(`if(isNull(${sql}), NULL, assumeNotNull(${instead}))`, 'Nullable(String)');
}
