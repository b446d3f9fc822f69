// Decodes the result of DESCRIBE into columns.
import { EngineError } from './engine.ts';
import type { Column } from './engine.ts';

/** Parses the JSONEachRow result of DESCRIBE TABLE; throws EngineError 'invalid_response' if it is invalid. */
export function decodeColumns(text: string): readonly Column[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(decodeColumn);
}

function decodeColumn(line: string): Column {
  const row = parseObject(line);
  const { name, type } = row;
  if (typeof name === 'string' && typeof type === 'string') return { name, type };
  throw new EngineError('invalid_response', `not a column description: ${line.slice(0, 200)}`, {
    isForeign: true,
  });
}

function parseObject(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (cause) {
    throw new EngineError('invalid_response', `not JSON: ${line.slice(0, 200)}`, { isForeign: true, cause });
  }
}
