// Mutants of the corpus: its queries with tokens deleted, inserted, duplicated, swapped and spliced, by seed.
import { isSignificant, tokenize } from '../../../src/sql/clickhouse/lexer.ts';
import { ACCEPTED } from './accepted.ts';
import { ATTACKS, BENIGN } from './fixture.ts';

/** A number from 0 up to, but excluding, the limit. */
export type Random = (limit: number) => number;

/** Numbers below `limit`, the same for the same seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    // Mulberry32: short, and good enough to choose mutations by.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** What the engine may read as more than it seems. */
const SPICE = (
  'SELECT FROM WITH AS WHERE IN NOT GLOBAL JOIN ON USING UNION ALL EXCEPT INTERSECT GROUP BY ORDER LIMIT HAVING OVER ' +
  'WINDOW ARRAY FINAL SAMPLE SETTINGS FORMAT INTO PREWHERE QUALIFY FILL INTERPOLATE APPLY REPLACE COLUMNS CASE WHEN THEN ' +
  'END INTERVAL DAY CAST EXISTS ANY DISTINCT TOP VALUES RECURSIVE MATERIALIZED EXPLAIN ( ) [ ] , . :: -> ? : * - = ' +
  'users edge_logs auth_logs default app logs system one numbers view file in nullIn globalNotIn lambda tuple equals ' +
  'version currentUser CURRENT_USER x id `users` "edge_logs" 1 \'x\' TABLE STREAM LATERAL DESCRIBE SHOW STRICT TO BETWEEN'
).split(' ');

function wordsOf(sql: string): string[] {
  return tokenize(sql)
    .filter(isSignificant)
    .map((token) => sql.slice(token.start, token.end));
}

/** What mutants are made of. */
export interface Stock {
  readonly benign: readonly string[];
  readonly hostile: readonly string[];
}

const CORPUS: Stock = {
  benign: [...BENIGN.map(({ sql }) => sql), ...ACCEPTED],
  hostile: ATTACKS.map(({ sql }) => sql),
};

export function mutants(count: number, seed: number, stock: Stock = CORPUS): string[] {
  const random = createRandom(seed);
  const benign = stock.benign.map(wordsOf);
  const hostile = stock.hostile.map(wordsOf).filter((words) => words.length < 200);
  // Mostly accepted queries, so that many mutants are accepted as well.
  const texts = [...hostile, ...Array.from({ length: 15 }, () => benign).flat()];
  const pick = <T>(items: readonly T[]): T | undefined => items[random(items.length)];
  const piece = () => {
    const words = pick(random(2) === 0 ? hostile : benign) ?? [];
    const from = random(words.length);
    return words.slice(from, from + 1 + random(6));
  };
  const mutate = (words: readonly string[]): string[] => {
    const at = random(words.length + 1);
    const length = 1 + random(3);
    switch (random(6)) {
      case 0:
        return words.toSpliced(at, length);
      case 1:
        return words.toSpliced(at, 0, pick(SPICE) ?? '');
      case 2:
        return words.toSpliced(at, 1, pick(SPICE) ?? '');
      case 3:
        return words.toSpliced(at, 0, ...piece());
      case 4:
        return words.toSpliced(at, length, ...piece());
      default:
        return words.toSpliced(at, random(2), '(', ...(pick(texts) ?? []), ')');
    }
  };
  const separate = createRandom(seed + 1);
  const separator = (): string => SEPARATORS[separate(8 * SEPARATORS.length)] ?? ' ';
  return Array.from({ length: count }, () => {
    let words: readonly string[] = pick(texts) ?? [];
    for (let rounds = 1 + random(2); rounds > 0; rounds--) words = mutate(words);
    return words.map((word, index) => `${index === 0 ? '' : separator()}${word}`).join('');
  });
}

/** What the engine reads as white space, and seldom stands between tokens. */
const SEPARATORS = [
  '\u00a0',
  '\u200b',
  '\u2028',
  '\u3000',
  '\ufeff',
  '\v',
  '\u0085',
  '/*\u00a0*/',
  '--\u2029\n',
];
