// The entry point: SQL of another database system as ClickHouse SQL. Runs offline, in commands, never for a request.
import type { Conversion, ConvertOptions } from './conversion.ts';
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
  return converter.convert(text, options).finally(converter.close);
}

async function convertWith(parser: Parser, text: string, { dialect }: ConvertOptions): Promise<Conversion> {
  await parser.parse({ dialect, text });
  return { sql: undefined, parameters: [], notes: [], reads: { tables: [], columns: [] } };
}
