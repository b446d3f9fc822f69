// Reads LIMIT, OFFSET and FETCH.
import type { Query } from '../tree.ts';
import { syntax } from '../context.ts';
import {
  expectSymbol,
  has,
  isWord,
  next,
  peek,
  takeSymbol,
  takeWords,
  unexpected,
  type Source,
} from './source.ts';

type LimitFields = Pick<Query, 'limit' | 'offset' | 'hasTies'>;
type Limits = { -readonly [Key in keyof LimitFields]: LimitFields[Key] };

/** LIMIT, OFFSET and FETCH, each at most once, in any order that the dialect has. */
export function readLimits(source: Source): Limits {
  const limits: Limits = {};
  let count = 0;
  for (; ; count++) {
    const { start } = peek(source);
    const seen = { ...limits };
    if (takeWords(source, 'LIMIT')) readLimit(source, limits);
    else if (isOffset(source, limits)) readOffset(source, limits);
    else if (isWord(source, 'FETCH') && has(source, 'standard clauses')) readFetch(source, limits);
    else break;
    const isTwice = (['limit', 'offset'] as const).some(
      (key) => seen[key] !== undefined && limits[key] !== seen[key],
    );
    if (isTwice || count > 2) syntax(start, 'This clause is written twice');
  }
  return limits;
}

/** In BigQuery, OFFSET follows LIMIT; elsewhere it is an alias. */
function isOffset(source: Source, { limit }: Limits): boolean {
  return isWord(source, 'OFFSET') && (limit !== undefined || has(source, 'standard clauses'));
}

function readLimit(source: Source, limits: Limits): void {
  if (has(source, 'standard clauses') && (takeWords(source, 'ALL') || takeWords(source, 'NULL'))) return; // the default
  const first = readCount(source);
  limits.limit = first;
  if (!has(source, 'standard clauses') || !takeSymbol(source, ',')) return;
  limits.offset = first;
  limits.limit = readCount(source);
}

function readOffset(source: Source, limits: Limits): void {
  source.at++;
  limits.offset = readCount(source);
  if (has(source, 'standard clauses') && !takeWords(source, 'ROWS')) takeWords(source, 'ROW');
}

function readFetch(source: Source, limits: Limits): void {
  source.at++;
  if (!takeWords(source, 'FIRST') && !takeWords(source, 'NEXT')) unexpected(source, 'FIRST or NEXT');
  limits.limit = isWord(source, 'ROW') || isWord(source, 'ROWS') ? '1' : readCount(source);
  if (!takeWords(source, 'ROWS')) takeWords(source, 'ROW');
  if (takeWords(source, 'WITH', 'TIES')) limits.hasTies = true;
  else if (!takeWords(source, 'ONLY')) unexpected(source, 'ONLY or WITH TIES');
}

/** A number or a parameter. */
export function readCount(source: Source): string {
  const isOpen = has(source, 'standard clauses') && takeSymbol(source, '(');
  const { kind, text } = peek(source);
  const isParameter = kind === 'parameter' && !source.isStrict;
  if (!isParameter && !(kind === 'number' && /^\d{1,18}$/.test(text)))
    return unexpected(source, source.isStrict ? 'a whole number' : 'a number or a parameter');
  next(source);
  if (isOpen) expectSymbol(source, ')');
  return isParameter ? `@${text}` : text;
}
