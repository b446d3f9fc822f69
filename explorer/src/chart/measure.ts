// Decides whether values of a column can be added: counts and sums can, averages, quantiles and distinct counts cannot.

/** `unknown`: neither the query nor the column's name tells. */
export type Measure = 'sum' | 'other' | 'unknown';

const SUMS = /^(?:count|sum|sumkahan|sumwithoverflow)(?:if|ornull|ordefault)*$/;
const AGGREGATES =
  /^(?:avg|min|max|any|arg|quantile|median|uniq|stddev|var|covar|corr|entropy|skew|kurt|delta|rate|top|first|last|approx|count|sum|group)/;
const OTHER_WORDS =
  /^(?:avg|average|mean|median|quantile|percentile|p\d+|min|max|ratio|rate|percent|pct|share|uniq|uniques?|distinct|stddev|variance|latency|score|cumulative|running)$/;
const SUM_WORDS =
  /^(?:counts?|cnt|totals?|sum|rows?|requests?|hits?|calls?|events?|errors?|bytes|number|num|n|c|records?|logs?|lines?|messages?|queries|sessions|visits|views|failures|warnings|amount|quantity)$/;

/** `query` is the SQL that made the column; empty if the page does not know it. */
export function measureOf(column: string, query: string): Measure {
  const call = callOf(column);
  if (call !== undefined) return byCall(call) ?? 'unknown';
  const found = new Set(expressionsOf(column, query));
  const [only] = found;
  if (only !== undefined) return found.size > 1 ? 'other' : only === 'name' ? byName(column) : only;
  return byName(column);
}

function byName(column: string): Measure {
  const words = column
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (words.some((word) => OTHER_WORDS.test(word))) return 'other';
  return words.some((word) => SUM_WORDS.test(word)) ? 'sum' : 'unknown';
}

/** The measure of a call of an aggregate function; undefined for other functions. */
function byCall({ name, isDistinct }: Call): Measure | undefined {
  const lower = name.toLowerCase();
  if (SUMS.test(lower)) return isDistinct ? 'other' : 'sum';
  return AGGREGATES.test(lower) ? 'other' : undefined;
}

interface Call {
  readonly name: string;
  readonly isDistinct: boolean;
}

/** A text that is one call as a whole: `count()`, `sum(bytes)`, `quantile(0.95)(ms)`. */
function callOf(text: string): Call | undefined {
  const trimmed = text.trim();
  const [, name] = /^(\w+)\s*\(/.exec(trimmed) ?? [];
  if (name === undefined || !trimmed.endsWith(')')) return undefined;
  const open = openingOf(trimmed, trimmed.length - 1);
  const before = trimmed.slice(0, open).trimEnd();
  const isWhole = before === name || (before.endsWith(')') && callOf(before)?.name === name);
  return isWhole ? { name, isDistinct: /^\(\s*distinct\b/i.test(trimmed.slice(open)) } : undefined;
}

/** The index of the parenthesis that the one at `close` closes; -1 if there is none. */
function openingOf(text: string, close: number): number {
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    if (text[at] === ')') depth++;
    else if (text[at] === '(' && --depth === 0) return at;
  }
  return -1;
}

/** What each `expression AS column` of the outermost SELECT is; `name`: a column or another function, so that its name decides. */
function expressionsOf(column: string, query: string): readonly (Measure | 'name')[] {
  const escaped = column.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const alias = new RegExp(`\\bas\\s+[\`"]?${escaped}(?![\\w.])`, 'gi');
  // Parentheses in strings are no structure; the length stays the same.
  const text = query.replace(/'(?:[^'\\]|\\.)*'/gs, (string) => ' '.repeat(string.length));
  const depths = depthsOf(text);
  const outer = [...text.matchAll(alias)].filter(({ index }) => depths[index] === 0);
  return outer.map(({ index }) => {
    const expression = text.slice(startOf(text, index), index).trim();
    const call = callOf(expression);
    if (call !== undefined) return byCall(call) ?? 'name';
    return /^[\w.`"]+$/.test(expression) ? 'name' : 'other';
  });
}

/** How many parentheses are open at each character. */
function depthsOf(text: string): readonly number[] {
  let depth = 0;
  return Array.from({ length: text.length }, (_, i) => {
    const character = text.charAt(i);
    if (character === ')') depth--;
    return character === '(' ? depth++ : depth;
  });
}

/** Where the select item that ends at `end` begins: after a comma, SELECT or an opening parenthesis. */
function startOf(query: string, end: number): number {
  let depth = 0;
  for (let at = end - 1; at >= 0; at--) {
    const character = query[at];
    if (character === ')') depth++;
    else if (character === '(' && --depth < 0) return at + 1;
    else if (depth > 0) continue;
    else if (character === ',') return at + 1;
    else if (/^select\b/i.test(query.slice(at, at + 7)) && !/\w/.test(query[at - 1] ?? ' ')) return at + 6;
  }
  return 0;
}
