// A query as it is sent: one SELECT, and the format that it names.
import { Problem } from '../../../sql/base/problem.ts';
import { applyEdits, type EditedText } from '../clickhouse/edited-text.ts';
import { readStatement } from '../clickhouse/statement.ts';
import { formatNamedInQuery } from './formats.ts';

export interface SentQuery {
  /** As sent. */
  readonly source: string;
  /** Without FORMAT and a semicolon at the end. */
  readonly select: EditedText;
  /** ClickHouse's name of the format; undefined if the query names none. */
  readonly engine: string | undefined;
}

/** Throws Problem for what is no SELECT, for settings, and for unknown formats. */
export function readQuery(source: string): SentQuery {
  const { kind, word, edits, format, settings } = readStatement(source);
  if (kind !== 'select')
    throw new Problem('sandbox.syntax_unsupported', {
      detail: `${word} is not supported`,
      hint: 'Send one SELECT.',
    });
  if (settings.length > 0)
    throw new Problem('sandbox.syntax_unsupported', {
      detail: 'SETTINGS is not supported',
      hint: 'Leave the clause out.',
    });
  const select = applyEdits(source, edits);
  return { source, select, engine: format === undefined ? undefined : formatNamedInQuery(format) };
}
