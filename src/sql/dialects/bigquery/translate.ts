// Translates BigQuery SQL to ClickHouse SQL. The output is untrusted: it is checked like any consumer query.
import { positionAt } from '../../base/position.ts';
import { Problem, type ProblemCode } from '../../base/problem.ts';
import { UnconvertedError, syntax, tooLarge, type Context, type Table } from '../context.ts';
import type { ConversionCode } from '../conversion.ts';
import type { Token } from '../read/lexer.ts';
import { quoteIdentifier } from '../../clickhouse/literal.ts';
import { BIGQUERY } from './dialect.ts';
import { read, STRICT_LIMITS } from '../read/read.ts';
import { flatten, sourceOffset, SqlTooLongError } from '../value.ts';
import { ONE_LINE } from '../style.ts';
import { typeOfColumn } from '../record.ts';
import { writeQuery } from '../write/query.ts';
import { contextOf } from '../write/expression.ts';

/** A table that the endpoint exposes; types as printed by DESCRIBE. */
export interface SourceTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** What a query may refer to, and what it must not collide with. */
interface TranslateOptions {
  readonly tables: readonly SourceTable[];
  /** Names that the translation must not generate. */
  readonly taken: ReadonlySet<string>;
}

/** A query that ClickHouse can parse; not yet checked by the sandbox. */
export interface Translation {
  /** One line of ClickHouse SQL. Not guaranteed: that it is allowed to run. */
  readonly sql: string;
  /** Maps an offset in `sql` to the offset in the original query. */
  readonly sourceOffset: (offset: number) => number;
}

/**
 * Translates one query. Takes time linear in the lengths of the input and the output, both of which are bounded.
 * @throws Problem `bigquery.*`
 */
export function translate(text: string, options: TranslateOptions): Translation {
  try {
    const surrogate = /\p{Surrogate}/u.exec(text);
    if (surrogate !== null) syntax(surrogate.index, 'Lone surrogate');
    const { query, tokens } = read(text, BIGQUERY.grammar, { isStrict: true, limits: STRICT_LIMITS });
    const context = translationContext(text, tokens, options);
    const written = writeQuery(query, context, { isShown: true, isPlain: false });
    const flat = flatten(written.sql, MAX_CHARACTERS, (at) => tooLarge(at, TOO_LONG));
    return { sql: flat.text, sourceOffset: (offset) => sourceOffset(flat, offset) };
  } catch (error) {
    if (error instanceof UnconvertedError) throw problemOf(text, error);
    if (error instanceof SqlTooLongError)
      throw problemOf(text, { code: 'too_large', at: 0, message: TOO_LONG, hint: undefined });
    throw error;
  }
}

/** Limit on the output, which can be much longer than the input: the sandbox's maximum query length. */
const MAX_CHARACTERS = 65_536;
const TOO_LONG = 'The translated query is too large';

/** Limit on written expressions and table columns. Each use of an alias may write its expression again. */
const MAX_WRITTEN = 5_000;

function translationContext(
  text: string,
  tokens: readonly Token[],
  { tables, taken }: TranslateOptions,
): Context {
  const words = tokens.filter(({ kind }) => kind === 'word' || kind === 'quoted').map((token) => token.text);
  const columns = tables.flatMap((table) => table.columns.map(({ name }) => name));
  const used = new Set([...words, ...columns, ...taken].map((name) => name.toLowerCase()));
  let count = 0;
  const fresh = (kind: string): string => {
    const name = `${kind}${++count}`;
    return used.has(name) ? fresh(kind) : name;
  };
  let spent = 0;
  const spend = (at: number, times = 1): void => {
    spent += times;
    if (spent > MAX_WRITTEN) tooLarge(at, 'The query has too many columns and repeated expressions');
  };
  const shared = {
    dialect: 'bigquery',
    traits: BIGQUERY.traits,
    isStrict: true,
    style: ONE_LINE,
    columnsOf: undefined,
    tableOf: undefined,
    text,
    notes: [],
    settings: new Map<string, string>(),
    fresh,
    tableNames: new Set(tables.map(({ name }) => name.toLowerCase())),
    spend,
    isRecordName: recordNames(tokens),
  };
  const named = new Map(tables.map((table) => [table.name.toLowerCase(), readTable(table)]));
  return contextOf(shared, { tables: named, functions: BIGQUERY.functions });
}

/** The types of an endpoint's columns are parsed once, not for each query. */
const READ = new WeakMap<SourceTable['columns'], Table['columns']>();

function readTable({ name, columns }: SourceTable): Table {
  const known = READ.get(columns) ?? columns.map(readColumn);
  READ.set(columns, known);
  return { sql: quoteIdentifier(name), columns: known };
}

function readColumn(column: SourceTable['columns'][number]) {
  return { name: column.name, value: { sql: column.name, type: typeOfColumn(column) } };
}

/** All other codes are of valid queries that are not translated. */
const CODES: Partial<Record<ConversionCode, ProblemCode>> = {
  syntax: 'bigquery.syntax_invalid',
  statement: 'bigquery.syntax_invalid',
  name_unknown: 'bigquery.name_unknown',
  too_large: 'bigquery.too_large',
};

/** An error in `text` as a Problem. */
function problemOf(
  text: string,
  { code, at, message, hint }: Pick<UnconvertedError, 'code' | 'at' | 'message' | 'hint'>,
): Problem {
  const position = positionAt(text, Math.min(at, text.length));
  const detail = `${message} (line ${position.line}, column ${position.column})`;
  return new Problem(CODES[code] ?? 'bigquery.unsupported', {
    detail,
    errors: [{ ...position, message }],
    ...(hint === undefined ? {} : { hint }),
  });
}

/** A name counts as a record if a dot follows it somewhere, or if it occurs alone at most once: that is its definition. */
function recordNames(tokens: readonly Token[]): (name: string) => boolean {
  const dotted = new Set<string>();
  const alone = new Map<string, number>();
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== 'word' && kind !== 'quoted') continue;
    const name = text.toLowerCase();
    const isSymbol = (at: number) => tokens[at]?.kind === 'symbol' && tokens[at].text === '.';
    if (isSymbol(index + 1)) dotted.add(name);
    else if (!isSymbol(index - 1)) alone.set(name, (alone.get(name) ?? 0) + 1);
  }
  return (name) => dotted.has(name) || (alone.get(name) ?? 0) < 2;
}
