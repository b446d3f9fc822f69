// The macros of Grafana's ClickHouse data source that write a whole query: $__columns(time, key, value) FROM t.
// Source: https://github.com/grafana/clickhouse-datasource/blob/main/docs/sources/query-editor.md
import { readRegions } from '../../placeholders/source-lexer.ts';
import { composed, type Unrolled } from '../../placeholders/unroll.ts';
import { argumentsOf, closing, type Argument } from './macros.ts';

const MACRO = /\$__(columns|rateColumns|perSecondColumns|increaseColumns)\s*(?=\()/;
const CLAUSE = /\b(where|group\s+by|having|order\s+by|limit|settings)\b/gi;

/** Seconds since the row before in the series. */
const SECONDS = '(t - lagInFrame(t, 1, t) OVER w)';
const delta = (value: string): string =>
  `(max(${value}) - lagInFrame(max(${value}), 1, max(${value})) OVER w)`;

/** The column of values; those of a first row, and of a counter that begins again, are nan. */
const VALUES: Readonly<Record<string, (value: string) => string>> = {
  columns: (value) => value,
  rateColumns: (value) => `if(${SECONDS} = 0, nan, ${value} / ${SECONDS})`,
  perSecondColumns: (value) => `if(${SECONDS} = 0 OR ${delta(value)} < 0, nan, ${delta(value)} / ${SECONDS})`,
  increaseColumns: (value) => `if(${SECONDS} = 0 OR ${delta(value)} < 0, nan, toFloat64(${delta(value)}))`,
};

/** The query that the macro produces; undefined without one, and for one that the plugin rejects. */
export function expandStatement(text: string): Unrolled | undefined {
  const code = withoutTexts(text);
  const macro = MACRO.exec(code);
  const name = macro?.[1];
  if (macro === null || name === undefined || depthOf(code.slice(0, macro.index)) !== 0) return undefined;
  const open = macro.index + macro[0].length;
  const end = closing(text, open);
  const args = end === undefined ? [] : argumentsOf(text, { start: open, end });
  const [time, key, value] = args;
  if (end === undefined || time === undefined || key === undefined || value === undefined || args.length > 3)
    return undefined;
  const clauses = clausesOf(code, end);
  const write = VALUES[name];
  if (clauses === undefined || clauses.has('GROUP') || write === undefined) return undefined;
  return written({ text, start: macro.index, end, clauses, time, key, value, name, write });
}

interface Statement {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly clauses: ReadonlyMap<string, Argument>;
  readonly time: Argument;
  readonly key: Argument;
  readonly value: Argument;
  readonly name: string;
  readonly write: (value: string) => string;
}

function written({ text, start, end, clauses, time, key, value, name, write }: Statement): Unrolled {
  const [label, metric] = [splitAlias(key.text), splitAlias(value.text)];
  const alias = label.alias ?? 'metric';
  const add = (written: string) => ({ text: written, at: start, isCopied: false });
  const clause = (word: string) => {
    const { start: from = 0, end: to = 0 } = clauses.get(word) ?? {};
    return { text: text.slice(from, to), at: from, isCopied: true };
  };
  const where = clause('WHERE');
  const condition = { ...where, text: where.text.replace(/^where/i, '     ') };
  return composed([
    { text: text.slice(0, start), at: 0, isCopied: true },
    add(`SELECT $__timeInterval(${time.text}) AS t, toString(${label.expression}) AS ${alias}, `),
    add(`${write(metric.expression)} AS ${metric.alias ?? 'value'} `),
    clause('FROM'),
    add(` WHERE $__timeFilter(${time.text})`),
    ...(where.text === '' ? [] : [add(' AND ('), condition, add(')')]),
    add(` GROUP BY t, ${alias} `),
    clause('HAVING'),
    add(
      name === 'columns'
        ? ' '
        : ` WINDOW w AS (PARTITION BY ${alias} ORDER BY t ASC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) `,
    ),
    clauses.has('ORDER') ? clause('ORDER') : add(`ORDER BY t, ${alias}`),
    add(' '),
    clause('LIMIT'),
    add(' '),
    clause('SETTINGS'),
    { text: '', at: end, isCopied: false },
  ]);
}

/** `x AS y`. */
function splitAlias(written: string): { readonly expression: string; readonly alias: string | undefined } {
  const [, expression = written, alias] = /^(.*\S)\s+as\s+(\w+|`[^`]+`|"[^"]+")$/is.exec(written) ?? [];
  return { expression, alias };
}

/** The clauses after the macro by their first word, in order; undefined without FROM. */
function clausesOf(code: string, from: number): ReadonlyMap<string, Argument> | undefined {
  const tail = code.slice(from).trimEnd().replace(/;$/, '').trimEnd();
  if (!/^\s*from\b/i.test(tail)) return undefined;
  const clauses = new Map<string, Argument>();
  let [word, start] = ['FROM', from + (/\S/.exec(tail)?.index ?? 0)];
  for (const match of tail.matchAll(CLAUSE)) {
    if (depthOf(tail.slice(0, match.index)) !== 0) continue;
    clauses.set(word, { start, end: from + match.index, text: '' });
    word = match[0].toUpperCase().split(/\s/)[0] ?? '';
    start = from + match.index;
    if (clauses.has(word)) return undefined;
  }
  return clauses.set(word, { start, end: from + tail.length, text: '' });
}

export function depthOf(code: string): number {
  return (code.match(/\(/g)?.length ?? 0) - (code.match(/\)/g)?.length ?? 0);
}

/** The text with spaces instead of comments, and other signs instead of strings and quoted names. */
export function withoutTexts(text: string): string {
  return readRegions(text, 'clickhouse', () => undefined)
    .map(({ kind, start, end }) => {
      if (kind === 'code') return text.slice(start, end);
      return (kind === 'comment' ? ' ' : '~').repeat(end - start);
    })
    .join('');
}
