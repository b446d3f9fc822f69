// Parameter values as ClickHouse reads them: its text form, TSV-escaped, and as `SET param_…` statements.
import { quoteString } from '../sql/literal.ts';
import { EngineError } from './engine.ts';
import type { ParameterValue } from './engine.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\0': '\\0',
};

/** A value as the engine takes it for `param_*`; NULL is `\N`. Unpaired surrogates have no UTF-8 form: U+FFFD. */
export function parameterText(value: ParameterValue): string {
  if (value === null) return '\\N';
  return value.replace(/[\\\n\t\r\0]|\p{Surrogate}/gu, (char) => ESCAPES[char] ?? '\uFFFD');
}

/**
 * `SET param_a = '…', param_b = '…';` for all parameters, or nothing. Names are refused unless they are plain
 * identifiers: they come from endpoint files, and this is the last place to look.
 */
export function setParameters(parameters: Readonly<Record<string, ParameterValue>>): string {
  const assignments = Object.entries(parameters).map(
    ([name, value]) => `param_${checkedName(name)} = ${quoteString(parameterText(value))}`,
  );
  return assignments.length === 0 ? '' : `SET ${assignments.join(', ')};\n`;
}

function checkedName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return name;
  throw new EngineError('rejected', `not a parameter name: ${JSON.stringify(name)}`);
}
