// Runs `millrace top`: a table of calls, printed once, or drawn again and again in place of the one before.
import type { After } from '../../../sql/base/clock.ts';
import type { TopCalls, TopEntry, TopGroup, TopOrder } from '../../../service/observe/top-calls.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { renderTable } from '../../kit/table.ts';

/** The response of `GET /top`. */
export interface TopReport extends TopCalls {
  readonly since: string;
  readonly until: string;
  readonly source: 'process' | 'table';
  readonly statements: { readonly running: number; readonly waiting: number };
}

export interface TopOptions {
  readonly isOnce: boolean;
  readonly isJson: boolean;
  /** Seconds. */
  readonly every: number;
  readonly group: TopGroup;
  readonly by: TopOrder;
}

type TopDeps = Pick<CommandDeps, 'terminal' | 'onSignal'> & { readonly after: After };

/** Ends after one table, or when a signal asks for it. Rejects with what `read` rejects with. */
export async function top(read: () => Promise<TopReport>, options: TopOptions, deps: TopDeps): Promise<void> {
  const { isOnce, every } = options;
  let isStopped = false;
  let wake: (() => void) | undefined;
  const stop = (): void => {
    isStopped = true;
    wake?.();
  };
  if (!isOnce) deps.onSignal({ stop, reload: () => undefined });
  for (;;) {
    show(await read(), options, deps);
    if (isOnce || isStopped) return;
    await new Promise<void>((resolve) => {
      const cancel = deps.after(every * 1000, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });
    if (isStopped) return;
  }
}

function show(report: TopReport, options: TopOptions, { terminal }: TopDeps): void {
  if (options.isJson) {
    terminal.write(`${JSON.stringify(report)}\n`);
    return;
  }
  if (!options.isOnce) terminal.clear();
  for (const line of linesOf(report, options)) terminal.print(line);
}

/** A terminal has few lines; `--json` has all. */
const MOST_LINES = 30;

function linesOf(report: TopReport, { group, by }: TopOptions): readonly string[] {
  const { result, left, total, since, until, source, statements } = report;
  const seconds = Math.max(1, (Date.parse(until) - Date.parse(since)) / 1000);
  const names = group === 'both' ? ['endpoint', 'key'] : [group];
  const shown = result.slice(0, MOST_LINES);
  const more = result.length - shown.length + left;
  return [
    `${until}, calls since ${since} of ${source === 'process' ? 'this process' : 'the table millrace.calls'}, by ${by}`,
    `${total.calls} calls (${perSecond(total.calls, seconds)}/s), ${total.errors} errors, statements: ${statements.running} running, ${statements.waiting} waiting`,
    '',
    ...renderTable([
      [...names, ...COLUMNS.map(([name]) => name)],
      ...shown.map((each) => [...namesOf(each, group), ...COLUMNS.map(([, cell]) => cell(each, total))]),
    ]),
    ...(more > 0 ? [`… and ${more} more`] : []),
  ];
}

function namesOf({ endpoint = '', key = '' }: TopEntry, group: TopGroup): readonly string[] {
  const keyText = key === '' ? '(no key)' : key;
  if (group === 'key') return [keyText];
  return group === 'both' ? [endpoint, keyText] : [endpoint];
}

type TopCell = (each: TopEntry, total: TopEntry) => string;

const COLUMNS: readonly (readonly [string, TopCell])[] = [
  ['calls', ({ calls }) => `${calls}`],
  ['errors', ({ errors }) => `${errors}`],
  ['cached', ({ calls, runs, errors }) => percent(Math.max(0, calls - runs - errors), calls)],
  ['time', ({ ms }, total) => percent(ms, total.ms)],
  ['mean ms', ({ ms, calls }) => (ms / Math.max(calls, 1)).toFixed(1)],
  ['slowest ms', ({ slowestMs }) => slowestMs.toFixed(1)],
  ['queue ms', ({ queueMs, runs }) => (queueMs / Math.max(runs, 1)).toFixed(1)],
  ['engine ms', ({ engineMs, runs }) => (engineMs / Math.max(runs, 1)).toFixed(1)],
  ['rows', ({ rows }) => `${rows}`],
  ['rows read', ({ readRows }) => (readRows === 0 ? '' : `${readRows}`)],
];

function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${Math.round((100 * part) / whole)} %`;
}

function perSecond(calls: number, seconds: number): string {
  return (calls / seconds).toFixed(1);
}
