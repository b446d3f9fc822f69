// The calls of the service by endpoint or key, for keys that may query the table of calls: opened from the head of the page.
import { useEffect, useState } from 'preact/hooks';
import type { Row } from '../service/json.ts';
import { CallFailure, type Problem } from '../service/problem.ts';
import { sandboxOf } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { Icon } from '../parts/icon.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { WindowDialog } from '../parts/window-dialog.tsx';

/** The endpoint over the table of calls. */
const ENDPOINT = 'millrace.usage';

export function CallsButton() {
  const { listing } = useExplorer();
  const [isOpen, setOpen] = useState(false);
  const endpoints = listing.value.kind === 'ready' ? listing.value.endpoints : [];
  const usage = endpoints.find(({ name }) => name === ENDPOINT);
  if (usage === undefined || sandboxOf(usage)?.languages.includes('sql') !== true) return null;
  return (
    <>
      <button
        type="button"
        class="button quiet icon-only"
        aria-haspopup="dialog"
        aria-label="Traffic"
        title="Traffic: which endpoints and keys take the most time, rows and errors"
        onClick={() => setOpen(true)}
      >
        <Icon name="history" />
      </button>
      {isOpen && <CallsDialog onClose={() => setOpen(false)} />}
    </>
  );
}

const GROUPS = { endpoint: 'endpoint', principal: 'key' } as const;
const ORDERS = {
  total_ms: 'time',
  read_rows: 'rows read',
  rows: 'rows',
  errors: 'errors',
  calls: 'calls',
  slowest_ms: 'slowest call',
} as const;
const TIMES = { minutely: 'the last hour', hourly: 'the last day', daily: 'the last 30 days' } as const;

interface Choice {
  readonly group: keyof typeof GROUPS;
  readonly by: keyof typeof ORDERS;
  readonly time: keyof typeof TIMES;
}

/** Rows are written every five seconds. */
const EVERY_MS = 5000;
const MOST_ROWS = 50;

function sqlOf({ group, by }: Choice): string {
  return `SELECT ${group} AS name, count() AS calls, countIf(status >= 400) AS errors, countIf(cache IN ('hit', 'stale', 'collapsed')) AS cached, round(sum(duration_ms)) AS total_ms, round(avg(duration_ms), 1) AS mean_ms, round(max(duration_ms), 1) AS slowest_ms, round(avg(queue_ms), 1) AS queue, round(avg(engine_ms), 1) AS engine, sum(calls.rows) AS rows, sum(calls.read_rows) AS read_rows
FROM calls GROUP BY name ORDER BY ${by} DESC, name LIMIT ${MOST_ROWS}`;
}

function CallsDialog({ onClose }: { readonly onClose: () => void }) {
  const [choice, setChoice] = useState<Choice>({ group: 'endpoint', by: 'total_ms', time: 'minutely' });
  const { rows, problem } = useCalls(choice);
  const set = (part: Partial<Choice>): void => setChoice({ ...choice, ...part });
  return (
    <WindowDialog title="Traffic" onClose={onClose}>
      <div class="calls-choice">
        <Select label="Of" names={TIMES} value={choice.time} onChange={(time) => set({ time })} />
        <Select label="by" names={GROUPS} value={choice.group} onChange={(group) => set({ group })} />
        <Select label="most" names={ORDERS} value={choice.by} onChange={(by) => set({ by })} />
      </div>
      {problem !== undefined && <ProblemCard problem={problem} onRetry={undefined} />}
      {problem === undefined && <CallsTable rows={rows} name={GROUPS[choice.group]} />}
    </WindowDialog>
  );
}

interface LoadedCalls {
  readonly rows: readonly Row[] | undefined;
  readonly problem: Problem | undefined;
}

/** Read again and again while they are shown. */
function useCalls(choice: Choice): LoadedCalls {
  const { client, key } = useExplorer();
  const [loaded, setLoaded] = useState<LoadedCalls>({ rows: undefined, problem: undefined });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const own = { language: 'sql', text: sqlOf(choice), dialect: 'clickhouse' } as const;
    const ask = { endpoint: ENDPOINT, parameters: { interval: choice.time }, own };
    const load = (): void => {
      client
        .run(key.value ?? '', ask, { signal, isFresh: false, hasNoFloats: true })
        .then(
          ({ rows }) => setLoaded({ rows, problem: undefined }),
          (error: unknown) => {
            if (signal.aborted) return;
            if (!(error instanceof CallFailure)) throw error;
            setLoaded({ rows: undefined, problem: error.problem });
          },
        )
        .finally(() => {
          if (!signal.aborted) timer = setTimeout(load, EVERY_MS);
        });
    };
    load();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [choice]);
  return loaded;
}

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly names: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

function Select<Value extends string>({ label, names, value, onChange }: SelectProps<Value>) {
  return (
    <label>
      {label}{' '}
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
        {Object.entries<string>(names).map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

const COLUMNS: readonly (readonly [string, string])[] = [
  ['calls', 'calls'],
  ['errors', 'errors'],
  ['cached', 'cached'],
  ['total_ms', 'total ms'],
  ['mean_ms', 'mean ms'],
  ['slowest_ms', 'slowest ms'],
  ['queue', 'queue ms'],
  ['engine', 'engine ms'],
  ['rows', 'rows'],
  ['read_rows', 'rows read'],
];

function nameOf({ name }: Row): string {
  return typeof name === 'string' && name !== '' ? name : '(none)';
}

function CallsTable({ rows, name }: { readonly rows: readonly Row[] | undefined; readonly name: string }) {
  if (rows === undefined) return <p role="status">Loading…</p>;
  if (rows.length === 0)
    return <p role="status">No calls are in the table: it has calls if MILLRACE_USAGE is on.</p>;
  return (
    <div class="calls-table" tabIndex={0} role="group" aria-label="Traffic">
      <table>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            {COLUMNS.map(([, title]) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={nameOf(row)}>
              <th scope="row">{nameOf(row)}</th>
              {COLUMNS.map(([column]) => (
                <td key={column}>{Number(row[column]).toLocaleString('en')}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
