// Compares types: of parameters by the values they accept, of columns by the readers that can parse them.
import { parseParameterType, type ParameterType, type ScalarType } from '../params/type.ts';

/** How a parameter's new type relates to the old one, by the values it accepts. */
export type TypeStep = 'same' | 'wider' | 'narrower' | 'other';

/** Both are names of valid types. */
export function compareParameterTypes(before: string, after: string): TypeStep {
  const [old, now] = [typeOf(before), typeOf(after)];
  if (old === undefined || now === undefined) return before === after ? 'same' : 'other';
  if (old.name === now.name) return 'same';
  if (old.isArray !== now.isArray) return 'other';
  if (holds(now.scalar, old.scalar)) return 'wider';
  return holds(old.scalar, now.scalar) ? 'narrower' : 'other';
}

function typeOf(text: string): ParameterType | undefined {
  const type = parseParameterType(text);
  return 'kind' in type ? undefined : type;
}

/** Whether `wide` accepts every value of `narrow`, without loss. */
function holds(wide: ScalarType, narrow: ScalarType): boolean {
  if (wide.kind === 'integer' && narrow.kind === 'integer') {
    if (wide.signed === narrow.signed) return wide.bits >= narrow.bits;
    return wide.signed && wide.bits > narrow.bits;
  }
  if (wide.kind === 'float' && narrow.kind === 'float') return wide.bits >= narrow.bits;
  if (wide.kind === 'decimal' && narrow.kind === 'decimal') {
    return wide.scale >= narrow.scale && wide.precision - wide.scale >= narrow.precision - narrow.scale;
  }
  if (wide.kind === 'datetime64') return holdsMoments(wide.scale, narrow);
  return wide.kind === 'plain' && narrow.kind === 'plain' && wide.name === 'Date32' && narrow.name === 'Date';
}

/** With nine digits, DateTime64 ends in 2262: before the other DateTime64 types, but after DateTime. */
function holdsMoments(scale: number, narrow: ScalarType): boolean {
  if (narrow.kind === 'plain') return narrow.name === 'DateTime';
  return narrow.kind === 'datetime64' && scale >= narrow.scale && (scale < 9 || narrow.scale === 9);
}

/**
 * How a column's new type relates to the old one, for its readers. `alike`: readers of JSON and CSV are not affected.
 */
export type ColumnStep = 'same' | 'alike' | 'nullable' | 'changed';

export interface ColumnOptions {
  /** How integers of 64 bits and more are written. */
  readonly int64: 'number' | 'string';
}

/** Both are types as the engine prints them. */
export function compareColumnTypes(before: string, after: string, options: ColumnOptions): ColumnStep {
  if (before === after) return 'same';
  const [old, now] = [peel(before), peel(after)];
  if (now.isNullable && !old.isNullable)
    return isAlike(old.inner, now.inner, options) ? 'nullable' : 'changed';
  return isAlike(old.inner, now.inner, options) ? 'alike' : 'changed';
}

interface Peeled {
  readonly isNullable: boolean;
  readonly inner: string;
}

/** LowCardinality changes the storage of values, not the values. */
function peel(type: string): Peeled {
  const kept = /^LowCardinality\((.*)\)$/s.exec(type)?.[1] ?? type;
  const inner = /^Nullable\((.*)\)$/s.exec(kept)?.[1];
  return { isNullable: inner !== undefined, inner: inner ?? kept };
}

function isAlike(before: string, after: string, options: ColumnOptions): boolean {
  if (before === after) return true;
  const [oldElement, newElement] = [before, after].map((type) => /^Array\((.*)\)$/s.exec(type)?.[1]);
  if (oldElement !== undefined && newElement !== undefined) {
    return ['same', 'alike'].includes(compareColumnTypes(oldElement, newElement, options));
  }
  if (/^JSON\b/.test(before) && /^JSON\b/.test(after)) return holdsPaths(after, before);
  const [old, now] = [typeOf(before)?.scalar, typeOf(after)?.scalar];
  if (old === undefined || now === undefined || !holds(now, old)) return false;
  if (old.kind === 'float') return true;
  if (old.kind !== 'integer' || now.kind !== 'integer') return false;
  return options.int64 === 'number' ? now.bits <= 64 : now.bits <= 32 || (old.bits === 64 && now.bits === 64);
}

/** Whether every path that had its own type still has it. */
function holdsPaths(wide: string, narrow: string): boolean {
  const paths = new Set(argumentsOf(wide));
  return argumentsOf(narrow).every((path) => paths.has(path));
}

/** The arguments of `Name(…)`, split at top-level commas. */
function argumentsOf(type: string): readonly string[] {
  const inner = /^\w+\((.*)\)$/s.exec(type)?.[1] ?? '';
  const parts: string[] = [''];
  let depth = 0;
  for (const unit of inner) {
    if (unit === '(') depth++;
    if (unit === ')') depth--;
    if (unit === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += unit;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
