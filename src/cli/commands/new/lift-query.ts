// Reads a query from a file, and puts parameters in place of its literals.
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { readText } from '../../../service/config/read-text.ts';
import { MAX_DOCUMENT_BYTES } from '../../../service/config/yaml-document.ts';
import { significantTokens } from '../../../sql/clickhouse/cursor.ts';
import { outlineQuery } from '../../../sql/clickhouse/outline.ts';
import { CommandError } from '../../kit/command-error.ts';
import { liftLiterals, type Lifted } from './lift.ts';

/** A query in ClickHouse SQL with parameters in place of its literals. Throws CommandError if the text is not one SELECT. */
export function liftQuery(sql: string): Lifted {
  const tokens = significantTokens(sql);
  const semicolon = tokens.findIndex(({ kind }) => kind === ';');
  if (semicolon !== -1 && semicolon < tokens.length - 1)
    throw new CommandError('The file contains several statements; an endpoint has one SELECT', {
      exitCode: 2,
    });
  const end = tokens.at(semicolon === -1 ? -1 : semicolon - 1)?.end ?? 0;
  if (end === 0) throw new CommandError('The file contains no query', { exitCode: 2 });
  const text = sql.slice(0, end);
  if (outlineQuery(text).findings.some(({ code }) => code.endsWith('not_select')))
    throw new CommandError(
      'The file does not contain a query: an endpoint is one SELECT, with or without a WITH clause',
      { exitCode: 2 },
    );
  const last = significantTokens(text);
  const [format, kind] = last.slice(-2);
  const isFormat =
    format !== undefined && /^format$/i.test(text.slice(format.start, format.end)) && kind?.kind === 'word';
  return liftLiterals((isFormat ? text.slice(0, format.start) : text).trim());
}

/** The query in a file, or on standard input for `-`. */
export async function readSql(file: string): Promise<string> {
  const text = file === '-' ? readFile('/dev/stdin', 'utf8') : readText(file, MAX_DOCUMENT_BYTES);
  return text.catch((cause: unknown) => {
    throw new CommandError(`Cannot read ${relative('.', file)}`, { exitCode: 2, cause });
  });
}
