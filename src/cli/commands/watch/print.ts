// Prints when a watch would have fired: a table of messages, and a timeline.
import { durationText } from '../../../service/config/duration.ts';
import { jsonText } from '../../../service/observe/visible-text.ts';
import { watchId } from '../../../service/watches/advance.ts';
import { count } from '../../findings/findings.ts';
import { renderTable } from '../../kit/table.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { Backtest } from './backtest.ts';
import type { StateSpan, SpanState } from './spans.ts';

const MAX_LINES = 200;
const MAX_GROUPS = 20;
const COLUMNS = 60;
/** From the least to the most severe; a column of the timeline has the most severe. */
const MARKS: readonly (readonly [SpanState, string])[] = [
  ['no_data', '-'],
  ['failing', '!'],
  ['pending', '+'],
  ['firing', '#'],
];

export function printBacktest(
  result: Backtest,
  { terminal, isJson }: { readonly terminal: Terminal; readonly isJson: boolean },
): void {
  if (isJson) return terminal.write(jsonText(documentOf(result)));
  const { print, paint } = terminal;
  const { endpoint, watch, looks, messages, spans } = result;
  const held = watch.for === 0 ? '' : `, for ${durationText(watch.for)}`;
  print(`${paint('bold', watchId(endpoint.name, watch))}: ${watch.condition.text}${held}, as ${watch.as}`);
  print(
    `${count(looks, 'look')} every ${durationText(watch.every)} from ${timeOf(result.from)} until ${timeOf(result.until)}`,
  );
  print('');
  if (messages.length === 0) print('No message would have been sent.');
  else for (const line of messageTable(messages)) print(line);
  if (messages.length > MAX_LINES) print(`and ${messages.length - MAX_LINES} more: --json has all`);
  print('');
  for (const line of timeline(result)) print(line);
  if (spans.length > 0) print('# firing, + pending, ! failing, - no data, . ok');
}

/** Where rows do not depend on the clock. */
export function unboundedNote({ unbounded }: Backtest): string | undefined {
  if (unbounded.length === 0) return undefined;
  return `The rows of ${unbounded.join(', ')} are those of now: no condition on them ends with the time of the look.`;
}

function messageTable(messages: Backtest['messages']): readonly string[] {
  const rows = messages
    .slice(0, MAX_LINES)
    .map(({ kind, at, group, text }) => [timeOf(at), kind, groupText(group), text]);
  return renderTable([['time', 'state', 'group', 'message'], ...rows]);
}

function timeline({ spans, from, until }: Backtest): readonly string[] {
  const lines = new Map<string, StateSpan[]>();
  for (const span of spans) {
    const name = span.group === undefined ? '' : groupText(span.group);
    lines.set(name, [...(lines.get(name) ?? []), span]);
  }
  const rows = [...lines].slice(0, MAX_GROUPS).map(([name, own]) => [name, marksOf(own, from, until)]);
  if (rows.length === 0) rows.push(['', '.'.repeat(COLUMNS)]);
  const more = lines.size - rows.length;
  const table = renderTable([['group', `${timeOf(from)} to ${timeOf(until)}`], ...rows]);
  return more > 0 ? [...table, `and ${count(more, 'group')} more`] : table;
}

function marksOf(spans: readonly StateSpan[], from: number, until: number): string {
  const marks = Array.from({ length: COLUMNS }, () => '.');
  const columnOf = (time: number): number => ((time - from) / (until - from)) * COLUMNS;
  for (const [state, mark] of MARKS)
    for (const span of spans) {
      if (span.state !== state) continue;
      const [first, end] = [Math.floor(columnOf(span.from)), Math.ceil(columnOf(span.until))];
      marks.fill(mark, first, Math.max(end, first + 1));
    }
  return marks.join('');
}

function groupText(group: Readonly<Record<string, unknown>>): string {
  return Object.entries(group)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

function timeOf(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

function documentOf({ endpoint, watch, from, until, looks, messages, spans, unbounded }: Backtest): object {
  return {
    watch: watchId(endpoint.name, watch),
    endpoint: endpoint.name,
    as: watch.as,
    when: watch.condition.text,
    every: durationText(watch.every),
    from: timeOf(from),
    until: timeOf(until),
    looks,
    unbounded,
    messages: messages.map(({ kind, at, group, text }) => ({ state: kind, at: timeOf(at), group, message: text })), // prettier-ignore
    timeline: spans.map((span) => ({ ...span, from: timeOf(span.from), until: timeOf(span.until) })),
  };
}
