// The rows around one, of the same source: what happened just before and after it.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ProblemCard } from '../parts/problem-card.tsx';
import { Visible } from '../parts/visible.tsx';
import { preview, type Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { CallFailure, type Problem } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';
import { rowsAround, sourcesOf, type Around, type Source } from './around.ts';
import { onOneLine } from '../parts/hidden-characters.ts';
import { messageOf } from './message.ts';
import { canSendSql } from './questions.ts';
import { hashOf } from './row-key.ts';
import { valueAt } from './row-values.ts';
import { severityOf } from './severity.ts';
import { timeText } from './times.ts';
import type { Logs } from './use-logs.ts';

interface Props {
  readonly row: Row;
  readonly table: Table;
  readonly logs: Logs;
  readonly onShow: (row: Row) => void;
}

const COUNTS = [5, 20, 100] as const;

export function RowAround(props: Props) {
  const { row, table, logs, onShow } = props;
  // The rows stay while one of them is opened: they are around the row that was open at first.
  const [center, setCenter] = useState(row);
  const [count, setCount] = useState<number>(COUNTS[0]);
  const sources = useMemo(() => sourcesOf(center, table), [center, table]);
  const [chosen, setChosen] = useState<readonly string[]>(() => sources.slice(0, 1).map(({ path }) => path));
  const { around, problem, isLoading } = useAround(center, logs, {
    sources: sources.filter(({ path }) => chosen.includes(path)),
    count,
  });
  if (!canSendSql(logs.question))
    return (
      <p class="note">The rows around this one need SQL, which this endpoint or your key does not allow.</p>
    );
  if (problem !== undefined) return <ProblemCard problem={problem} />;
  return (
    <div class="log-around" aria-busy={isLoading}>
      <div class="log-around-bar">
        <span role="group" aria-label="Rows on each side" class="log-around-counts">
          {COUNTS.map((each) => (
            <button
              key={each}
              type="button"
              class="chip small"
              aria-pressed={each === count}
              onClick={() => setCount(each)}
            >
              ± {each}
            </button>
          ))}
        </span>
        <Sources sources={sources} chosen={chosen} onChosen={setChosen} />
        {hashOf(row) !== hashOf(center) && (
          <button type="button" class="chip small" onClick={() => setCenter(row)}>
            Around the open row
          </button>
        )}
      </div>
      {around !== undefined && <AroundList {...{ around, row, table, logs, onShow }} />}
    </div>
  );
}

interface SourcesProps {
  readonly sources: readonly Source[];
  readonly chosen: readonly string[];
  readonly onChosen: (paths: readonly string[]) => void;
}

function Sources({ sources, chosen, onChosen }: SourcesProps) {
  if (sources.length === 0) return <span class="note">All rows of the table: no field names a source.</span>;
  return (
    <span role="group" aria-label="Same source">
      {sources.map(({ path, value }) => (
        <label key={path} class="log-around-source">
          <input
            type="checkbox"
            checked={chosen.includes(path)}
            onChange={() =>
              onChosen(chosen.includes(path) ? chosen.filter((each) => each !== path) : [...chosen, path])
            }
          />
          <span>
            same {path.replace(/^metadata\./, '')} <Visible text={preview(value, 40)} />
          </span>
        </label>
      ))}
    </span>
  );
}

interface ListProps extends Props {
  readonly around: Around;
}

function AroundList({ around, row, table, logs: { view }, onShow }: ListProps) {
  const { zone } = useExplorer();
  return (
    <>
      {!around.hasNewer && <p class="note">No newer rows within a week.</p>}
      <ol class="log-around-rows mono" aria-label="Rows around this one, the newest first">
        {around.rows.map((each) => {
          const level = view.level === undefined ? undefined : valueAt(each, table, view.level);
          const { text, fields } = messageOf(
            view.message === undefined ? each : valueAt(each, table, view.message),
          );
          return (
            <li key={hashOf(each)} data-severity={severityOf(level)}>
              <button type="button" aria-current={hashOf(each) === hashOf(row)} onClick={() => onShow(each)}>
                <span class="log-time">{timeText(preview(each[view.time], 40), zone.value).slice(11)}</span>
                <span class="log-level">{preview(level ?? undefined, 20)}</span>
                <span class="log-message">
                  <Visible text={onOneLine(text === '' ? fields : text)} />
                </span>
              </button>
            </li>
          );
        })}
      </ol>
      {!around.hasOlder && <p class="note">No older rows within a week.</p>}
    </>
  );
}

interface Loaded {
  readonly around: Around | undefined;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
}

function useAround(row: Row, { question }: Logs, options: Parameters<typeof rowsAround>[3]): Loaded {
  const { client, key } = useExplorer();
  const [loaded, setLoaded] = useState<Loaded>({ around: undefined, problem: undefined, isLoading: true });
  const asked = JSON.stringify(options);
  useEffect(() => {
    if (!canSendSql(question)) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    setLoaded((before) => ({ ...before, isLoading: true }));
    rowsAround({ client, key: key.value ?? '', signal }, row, question, options).then(
      (around) => {
        if (!signal.aborted) setLoaded({ around, problem: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        if (!(error instanceof CallFailure)) throw error;
        setLoaded({ around: undefined, problem: error.problem, isLoading: false });
      },
    );
    return () => controller.abort();
  }, [row, question.endpoint, question.view, asked]);
  return loaded;
}
