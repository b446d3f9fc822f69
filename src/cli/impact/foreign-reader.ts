// Reads which tables and columns a query in the SQL of another system names.
import type { ReadForeign } from '../../compatibility/consumers/foreign-query.ts';
import { DIALECTS, type ForeignDialect } from '../../convert/conversion.ts';
import { createConverter } from '../../convert/convert.ts';
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
    const { sql, notes, reads } = await converter.convert(text, { dialect });
    if (sql !== undefined) return reads;
    const [note] = notes;
    if (note === undefined) return 'the query cannot be parsed';
    const { line, column } = positionAt(text, note.offset);
    return `${note.message} (line ${line}, column ${column})`;
  };
  return { read, close: converter.close };
}

function isForeign(dialect: string): dialect is ForeignDialect {
  return (DIALECTS as readonly string[]).includes(dialect);
}
