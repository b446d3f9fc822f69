// Parses the clauses that choose the source and the output: from, select and chart.
import { nearest } from '../base/nearest.ts';
import { isFault, suggestion, type Fault } from './finding.ts';
import { type ClauseContext, PATH_SOURCE, readPath } from './clause-context.ts';
import { HIDDEN, type ReadUpTo } from './source.ts';
import { AGGREGATES, type AggregateFunction, type Clause, type Period, type Word } from './tree.ts';

const FROM = /(?:from|f):/y;
const SELECT = /(?:select|s):/y;
const CHART = /(?:chart|c):(\w+)\(/y;
const NAME = /[A-Za-z_]\w*/y;
const ARGUMENT = new RegExp(String.raw`(?:"[^"\\]*(?:\\[^][^"\\]*)*"|[^${HIDDEN}"()])*`, 'y');
const GROUPING = /^(?:timestamp|t)::(\w*)$/;
const WHOLE_PATH = new RegExp(`^${PATH_SOURCE}$`);

const PERIODS: ReadonlyMap<string, Period> = new Map([
  ['second', 'second'],
  ['s', 'second'],
  ['minute', 'minute'],
  ['m', 'minute'],
  ['hour', 'hour'],
  ['h', 'hour'],
  ['day', 'day'],
  ['d', 'day'],
]);

/** `from:name` or `f:name`. */
export function readFrom(context: ClauseContext): ReadUpTo<Clause> | undefined {
  const keyword = context.source.match(FROM, context.body);
  if (keyword === undefined) return undefined;
  rejectNegation(context);
  const table = readName(context, context.body + keyword[0].length);
  if (table === undefined) return nameMissing(context, context.body + keyword[0].length, 'table');
  const { end } = table.span;
  return { end, value: { kind: 'from', table, span: { start: context.start, end } } };
}

/** `select:path@alias`, `s:*`. */
export function readSelect(context: ClauseContext): ReadUpTo<Clause> | undefined {
  const { source } = context;
  const keyword = source.match(SELECT, context.body);
  if (keyword === undefined) return undefined;
  rejectNegation(context);
  const start = context.body + keyword[0].length;
  const all = source.text[start] === '*';
  const path = all ? undefined : readPath(source, start);
  if (!all && path === undefined) return nameMissing(context, start, 'column');
  const at = path?.span.end ?? start + 1;
  const alias = source.text[at] === '@' ? readName(context, at + 1) : undefined;
  if (source.text[at] === '@' && (alias === undefined || all)) {
    return source.fail({ start: at, end: alias?.span.end ?? at + 1 }, all ? ALL_NAMED : ALIAS_MISSING);
  }
  const end = alias?.span.end ?? at;
  const span = { start: context.start, end };
  return {
    end,
    value: { kind: 'select', ...(path && { path }), ...(alias && { alias }), span },
  };
}

/** `chart:p95(path)`, `c:group_by(t::hour)`. Any name followed by a parenthesis is parsed as one. */
export function readChart(context: ClauseContext): ReadUpTo<Clause> | undefined {
  const { source } = context;
  const opening = source.match(CHART, context.body);
  if (opening === undefined) return undefined;
  rejectNegation(context);
  const name = opening[1] ?? '';
  const start = context.body + opening[0].length;
  const argument = source.match(ARGUMENT, start)?.[0] ?? '';
  const end = start + argument.length + 1;
  if (source.text[end - 1] !== ')') return source.fail({ start: start - 1, end: end - 1 }, CHART_UNCLOSED);
  const nameStart = start - 1 - name.length;
  const clause = name === 'group_by' ? bucket(argument) : aggregate(context, name, start, argument);
  const span = { start: context.start, end };
  if (!isFault(clause)) return { end, value: { ...clause, span } };
  const atName = clause.code === 'lql.aggregate_unknown';
  return source.fail(atName ? { start: nameStart, end: start - 1 } : { start, end: end - 1 }, clause);
}

function bucket(argument: string): { kind: 'bucket'; period: Period } | Fault {
  const name = GROUPING.exec(argument)?.[1];
  const period = name === undefined ? undefined : PERIODS.get(name);
  if (period !== undefined) return { kind: 'bucket', period };
  const word = nearest(name ?? argument, PERIODS.keys());
  return {
    code: 'lql.chart_invalid',
    message: 'a chart is grouped by t::second, t::minute, t::hour or t::day',
    hint: `did you mean c:group_by(t::${word ?? 'hour'})?`,
  };
}

function aggregate({ source }: ClauseContext, name: string, start: number, argument: string) {
  const known = AGGREGATES.find((candidate) => candidate === name);
  if (known === undefined) return aggregateUnknown(name);
  if (argument === '*') return { kind: 'aggregate', function: known } as const;
  const path = WHOLE_PATH.test(argument) ? readPath(source, start) : undefined;
  return path === undefined
    ? argumentInvalid(known)
    : ({ kind: 'aggregate', function: known, path } as const);
}

function readName({ source }: ClauseContext, start: number): Word | undefined {
  const text = source.match(NAME, start)?.[0];
  return text === undefined ? undefined : { text, span: { start, end: start + text.length } };
}

function rejectNegation({ source, start, body, negated }: ClauseContext): void {
  if (!negated) return;
  source.report(
    { start, end: body },
    {
      code: 'lql.negation_invalid',
      message: 'only filters can be negated; this clause chooses the source or the output',
      hint: 'remove the -',
    },
  );
}

function nameMissing({ source }: ClauseContext, at: number, what: 'table' | 'column') {
  const expected =
    what === 'table' ? 'a name of letters, digits and _' : '* or a path of letters, digits, _ and dots';
  return source.fail(
    { start: at, end: source.bareEnd(at) },
    {
      code: 'lql.name_missing',
      message: `expected ${expected} here`,
      hint: what === 'table' ? 'such as f:edge_logs' : 'such as s:m.user.id@user_id',
    },
  );
}

function aggregateUnknown(name: string): Fault {
  return {
    code: 'lql.aggregate_unknown',
    message: `there is no aggregate ${name}`,
    hint: suggestion(nearest(name, [...AGGREGATES, 'group_by']), AGGREGATES),
  };
}

function argumentInvalid(name: AggregateFunction): Fault {
  return {
    code: 'lql.chart_invalid',
    message: 'expected * or a path of letters, digits, _ and dots',
    hint: name === 'count' ? 'such as c:count(*)' : `such as c:${name}(m.latency)`,
  };
}

const CHART_UNCLOSED: Fault = {
  code: 'lql.parenthesis_unclosed',
  message: 'this parenthesis is not closed before the next space, quote or parenthesis',
  hint: 'such as c:count(*) or c:group_by(t::hour)',
};

const ALIAS_MISSING: Fault = {
  code: 'lql.name_missing',
  message: 'a name of letters, digits and _ is missing after @',
  hint: 'such as s:m.user.id@user_id',
};

const ALL_NAMED: Fault = {
  code: 'lql.clause_conflict',
  message: '* cannot have an alias',
  hint: 'remove the @, or select a single path',
};
