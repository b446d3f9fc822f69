// The entry point: SQL of another database system as ClickHouse SQL. Runs offline, in commands, never for a request.
import type { Conversion, ConversionNote, ConvertOptions } from './conversion.ts';
import type { ParseReply } from './parse/messages.ts';
import { writeStatement } from './write/write.ts';
import { parameterTypes } from './parameter-types.ts';
import { createParser, type Parser } from './parse/parser.ts';

/** Converts one text after another with one parser. */
export interface Converter {
  readonly convert: (text: string, options: ConvertOptions) => Promise<Conversion>;
  readonly close: () => Promise<void>;
}

/** Keeps the parser's thread between texts: starting it takes longer than most conversions. */
export function createConverter(): Converter {
  const parser = createParser();
  return { convert: (text, options) => convertWith(parser, text, options), close: parser.close };
}

/** Converts one text. Never rejects for its content: what could not be converted is in the notes. */
export async function convert(text: string, options: ConvertOptions): Promise<Conversion> {
  const converter = createConverter();
  try {
    return await converter.convert(text, options);
  } finally {
    await converter.close();
  }
}

const NOTHING: Conversion = { sql: undefined, parameters: [], notes: [], reads: { tables: [], columns: [] } };

async function convertWith(parser: Parser, text: string, options: ConvertOptions): Promise<Conversion> {
  const { dialect } = options;
  const reply = await parser.parse({ dialect, text });
  if (reply.kind !== 'read') return { ...NOTHING, notes: [failureNote(reply, text)] };
  const { query, notes, reads, comparisons } = reply.reading;
  const parameters = parameterTypes(comparisons, options.columnsOf);
  const written = writeStatement(query, { ...options, text });
  return {
    sql: written.sql,
    parameters,
    notes: [...notes, ...written.notes].toSorted((a, b) => a.offset - b.offset),
    reads,
  };
}

function failureNote(reply: Exclude<ParseReply, { kind: 'read' }>, text: string): ConversionNote {
  const whole = { severity: 'not_converted' as const, offset: 0, end: text.length };
  switch (reply.kind) {
    case 'invalid': {
      const { code, offset, message } = reply;
      return { ...whole, code, offset, end: Math.min(offset + 1, text.length), message };
    }
    case 'timeout':
      return { ...whole, code: 'timeout', message: 'The query could not be read within 2 seconds' };
    case 'too_large':
      return { ...whole, code: 'too_large', message: 'The query is too large or nested too deeply' };
  }
}
