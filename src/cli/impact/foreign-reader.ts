// Reads which tables and columns a query in the SQL of another system names.
import type { NamedReads, ReadForeign } from '../../compatibility/consumers/foreign-query.ts';
import {
  DIALECTS,
  type Conversion,
  type ConversionCode,
  type ForeignDialect,
} from '../../convert/conversion.ts';
import { convertTemplate } from '../../convert/convert-template.ts';
import { createConverter } from '../../convert/convert.ts';
import { readPlaceholders } from '../../convert/placeholders/read-placeholders.ts';
import { positionAt } from '../../core/position.ts';

export interface ForeignReader {
  readonly read: ReadForeign;
  readonly close: () => Promise<void>;
}

/** The caller must close it, whatever happens: the parser runs in a thread. */
export function createForeignReader(): ForeignReader {
  const converter = createConverter();
  const read: ReadForeign = async (text, dialect) => {
    if (!isForeign(dialect)) return `the dialect ${dialect} is unknown; use one of ${DIALECTS.join(', ')}`;
    const conversion = await convertTemplate(converter, readPlaceholders(text, { dialect }), { dialect });
    const { notes, reads } = conversion;
    if (reads.tables.length > 0)
      return { ...reads, columns: [...reads.columns, ...unread(text, conversion)] };
    const [note] = notes;
    if (note === undefined) return reads;
    const { line, column } = positionAt(text, note.offset);
    return `${note.message} (line ${line}, column ${column})`;
  };
  return { read, close: converter.close };
}

function isForeign(dialect: string): dialect is ForeignDialect {
  return (DIALECTS as readonly string[]).includes(dialect);
}

/** Codes of parts that were not read: any name in them may be that of a column. */
const UNREAD: ReadonlySet<ConversionCode> = new Set([
  'clause',
  'expression',
  'syntax',
  'statement',
  'placeholder',
]); // prettier-ignore;

function unread(text: string, { notes }: Conversion): NamedReads['columns'] {
  const parts = notes.filter(({ severity, code }) => severity === 'not_converted' && UNREAD.has(code));
  const names = parts.flatMap(
    ({ offset, end }) => text.slice(offset, end).match(/[\p{L}_][\p{L}\p{N}_$]*/gu) ?? [],
  );
  return [...new Set(names)].map((name) => ({ path: [name] }));
}
