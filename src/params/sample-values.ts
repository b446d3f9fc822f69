// A sample value for each parameter type, for statements that are described but never run.
import { parseParameterType } from './type.ts';

const NEUTRAL: Readonly<Record<string, string>> = {
  String: '',
  Bool: 'false',
  UUID: '00000000-0000-0000-0000-000000000000',
  IPv4: '0.0.0.0',
  IPv6: '::',
  Date: '1970-01-01',
  Date32: '1970-01-01',
  DateTime: '1970-01-01 00:00:00',
  DateTime64: '1970-01-01 00:00:00',
};

/** A sample value of a declared type in ClickHouse's text format (unescaped); 0 for numbers. */
export function sampleText(typeText: string): string {
  const type = parseParameterType(typeText);
  if ('kind' in type) return '';
  if (type.isArray) return '[]';
  return NEUTRAL[/^[A-Za-z0-9]+/.exec(type.name)?.[0] ?? ''] ?? '0';
}
