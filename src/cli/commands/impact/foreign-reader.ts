// Reads which tables and columns a query in the SQL of another system names.
import type { NamedReads, ReadForeign } from '../../compare/consumers/foreign-query.ts';
import {
  DIALECTS,
  type Conversion,
  type ConversionCode,
  type ForeignDialect,
} from '../../../sql/dialects/conversion.ts';
import { convertTemplate } from '../../convert/convert-template.ts';
import { createConverter } from '../../convert/convert.ts';
import { readPlaceholders } from '../../convert/placeholders/read-placeholders.ts';
import { positionAt } from '../../../sql/base/position.ts';

export interface ForeignReader {
  readonly read: ReadForeign;
  readonly close: () => Promise<void>;
}

/** The caller must close it, whatever happens: the parser runs in a thread. */
export function createForeignReader(): ForeignReader {
  const converter = createConverter();
  const convert = (text: string, dialect: ForeignDialect): Promise<Conversion> =>
    convertTemplate(converter, readPlaceholders(text, { dialect }), { dialect });
  const read: ReadForeign = async (text, dialect) => {
    if (dialect !== undefined && !isForeign(dialect))
      return `the dialect ${dialect} is unknown; use one of ${DIALECTS.join(', ')}`;
    const conversions: Conversion[] = [];
    for (const each of dialect === undefined ? GUESSES : [dialect]) {
      const conversion = await convert(text, each);
      if (unreadParts(conversion).length === 0 && conversion.reads.tables.length > 0) return conversion.reads;
      conversions.push(conversion);
    }
    const [best] = conversions.toSorted((a, b) => b.reads.tables.length - a.reads.tables.length);
    return best === undefined ? 'the query cannot be parsed' : readsOrMessage(text, best);
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
]);

function unreadParts({ notes }: Conversion): Conversion['notes'] {
  return notes.filter(({ severity, code }) => severity === 'not_converted' && UNREAD.has(code));
}

function readsOrMessage(text: string, conversion: Conversion): NamedReads | string {
  const { notes, reads } = conversion;
  const [note] = notes;
  if (reads.tables.length > 0 || note === undefined) {
    const words = unreadParts(conversion).flatMap(
      ({ start, end }) => text.slice(start, end).match(WORD) ?? [],
    );
    return {
      ...reads,
      columns: [...reads.columns, ...[...new Set(words)].map((name) => ({ path: [name] }))],
    };
  }
  const { line, column } = positionAt(text, note.start);
  return `${note.message} (line ${line}, column ${column})`;
}

const WORD = /[\p{L}_][\p{L}\p{N}_$]*/gu;

/** Of a query that names no dialect: those that read most of what others write. */
const GUESSES: readonly ForeignDialect[] = ['postgresql', 'mysql', 'snowflake', 'bigquery', 'trino'];
