// Constructs that both dialects have, and that BigQuery reads otherwise. They matter only for a query that ClickHouse cannot run.
import { tokenize } from '../sql/lexer.ts';
import { isSetOperator } from './bigquery-evidence.ts';
import type { EvidenceText } from './dialect-evidence.ts';
import { hasDoubleQuotedString } from './double-quoted.ts';

/** Whether the query has such a construct. */
export function isReadAsBigQuery(text: EvidenceText): boolean {
  return (
    hasHashComment(text) ||
    hasTripleQuote(text) ||
    hasOrderOfUnion(text) ||
    hasTableAsValue(text) ||
    hasDoubleQuotedString(text)
  );
}

/** `# …`: the engine reads it too, if a space follows, but consumer queries in ClickHouse SQL must not have it. */
function hasHashComment({ query: { sql } }: EvidenceText): boolean {
  if (!sql.includes('#')) return false;
  return tokenize(sql).some(
    ({ kind, start }) => sql.charAt(start) === '#' && (kind === 'comment' || kind === 'error'),
  );
}

/** `'''it's'''`: to the engine, a doubled quote. */
function hasTripleQuote({ query }: EvidenceText): boolean {
  return query.tokens.some(
    ({ kind }, index) => (kind === 'string' || kind === 'error') && /^('''|""")/.test(query.text(index)),
  );
}

/** `SELECT a … UNION ALL SELECT b … ORDER BY a`: in ClickHouse, the order of the last SELECT. */
function hasOrderOfUnion({ query, opener }: EvidenceText): boolean {
  const unions = new Set<number | undefined>();
  for (let index = 0; index < query.length; index++) {
    const level = opener(index);
    if (isSetOperator(query.word(index)) && query.word(index + 2) === 'SELECT') unions.add(level);
    if (query.word(index) === 'ORDER' && query.word(index + 1) === 'BY' && unions.has(level)) return true;
  }
  return false;
}

/** `SELECT t FROM logs AS t`: the whole row. */
function hasTableAsValue({ query, columns, clause }: EvidenceText): boolean {
  const indexes = [...query.tokens.keys()];
  const sources = new Set(
    indexes
      .filter((index) => clause(index) === 'FROM' && query.kind(index - 1) !== '.')
      .map((index) => query.name(index)?.toLowerCase()),
  );
  return indexes.some((index) => {
    const name = query.name(index)?.toLowerCase();
    if (name === undefined || clause(index) !== 'SELECT' || !sources.has(name) || columns.has(name))
      return false;
    const next = query.word(index + 1);
    const starts = query.word(index - 1) === 'SELECT' || query.kind(index - 1) === ',';
    return starts && (next === 'AS' || next === 'FROM' || query.kind(index + 1) === ',');
  });
}
