// Serializes parameter values for ClickHouse: its text format, TSV-escaped, and `SET param_…` statements.
import { quoteString } from '../../sql/clickhouse/literal.ts';
import { EngineError } from './engine.ts';
import type { ParameterValue } from './engine.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\0': '\\0',
};

/** A value in the format of `param_*`; NULL is `\N`. Unpaired surrogates have no UTF-8 encoding and become U+FFFD. */
export function parameterText(value: ParameterValue): string {
  if (value === null) return '\\N';
  return value.replace(/[\\\n\t\r\0]|\p{Surrogate}/gu, (char) => ESCAPES[char] ?? '\uFFFD');
}

/**
 * All parameters as `param_name` settings. Throws EngineError 'rejected' for a name that is not a plain identifier:
 * names come from endpoint files, and this is the last check before they enter SQL.
 */
export function parameterSettings(
  parameters: Readonly<Record<string, ParameterValue>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [`param_${checkedName(name)}`, parameterText(value)]),
  );
}

/** `SET param_a = '…', param_b = '…';` for all parameters, or an empty string. */
export function setParameters(parameters: Readonly<Record<string, ParameterValue>>): string {
  const assignments = Object.entries(parameterSettings(parameters)).map(
    ([name, text]) => `${name} = ${quoteString(text)}`,
  );
  return assignments.length === 0 ? '' : `SET ${assignments.join(', ')};\n`;
}

function checkedName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return name;
  throw new EngineError('rejected', `not a parameter name: ${JSON.stringify(name)}`, { isForeign: true });
}
