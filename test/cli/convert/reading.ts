// Queries of each dialect and how they are read: blocks of a query, `=>` and its tree.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ForeignDialect } from '../../../src/sql/dialects/conversion.ts';
import type { Parser } from '../../../src/cli/convert/parse/parser.ts';
import { showQuery } from './show.ts';

const path = (dialect: string): string => join(import.meta.dirname, 'reading', `${dialect}.txt`);

export interface Reading {
  readonly query: string;
  readonly expected: string;
}

export function readingsOf(dialect: ForeignDialect): readonly Reading[] {
  return readFileSync(path(dialect), 'utf8')
    .trim()
    .split('\n\n')
    .map((block) => {
      const [query = '', expected = ''] = block.split('\n=> ');
      return { query, expected };
    });
}

/** The tree, or the place and message of the error. */
export async function show(parser: Parser, dialect: ForeignDialect, query: string): Promise<string> {
  const reply = await parser.parse({ dialect, text: query });
  if (reply.kind === 'invalid') return `${reply.code} at ${reply.offset}: ${reply.message}`;
  return reply.kind === 'read' ? showQuery(reply.reading.query) : reply.kind;
}
