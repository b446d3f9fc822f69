// Says why a log view has no rows, and what to do.
import { useEffect, useState } from 'preact/hooks';
import { Visible } from '../parts/visible.tsx';
import { useExplorer } from '../state/context.ts';
import { fixedRange, PRESETS, type Zone } from '../time-range/range.ts';
import { rangeWords } from '../time-range/range-words.ts';
import { emptyFacts, type EmptyFacts, type UnknownField } from './empty-facts.ts';
import { partsOf, remove } from './lql-edit.ts';
import { writePath } from './lql-path.ts';
import { dayText } from './times.ts';
import type { Logs } from './use-logs.ts';

/** At most this many clauses get a button of their own. */
const MAX_CLAUSES = 4;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export function LogEmpty({ logs }: { readonly logs: Logs }) {
  const { zone } = useExplorer();
  const { filter, onFilter, range } = logs;
  const facts = useEmptyFacts(logs);
  const clauses = partsOf(filter).slice(0, MAX_CLAUSES);
  return (
    <div class="log-empty">
      <h2>{filter === '' ? 'No rows' : 'No row matches'}</h2>
      <p>
        {rangeWords(range, zone.value)}
        {facts === undefined && '. Looking for the newest row.'}
        {facts?.newest !== undefined && `. ${newestWords(facts.newest, zone.value)}`}
      </p>
      {facts?.unknown.map((each) => (
        <Unknown key={each.path} field={each} onFilter={onFilter} />
      ))}
      <div class="log-empty-actions">
        <Ranges logs={logs} facts={facts} />
        {clauses.map((clause) => {
          const text = filter.slice(clause.start, clause.end);
          return (
            <button
              key={clause.start}
              type="button"
              class="button"
              onClick={() => onFilter(remove(filter, clause))}
            >
              Without{' '}
              <span class="mono">
                <Visible text={text.slice(0, 60)} />
              </span>
            </button>
          );
        })}
        {clauses.length > 1 && (
          <button type="button" class="button" onClick={() => onFilter('')}>
            Without the filter
          </button>
        )}
      </div>
    </div>
  );
}

function Ranges({ logs, facts }: { readonly logs: Logs; readonly facts: EmptyFacts | undefined }) {
  const { zone } = useExplorer();
  const { change, range } = logs;
  const newest = facts?.newest;
  const day = PRESETS.find(({ range: { from } }) => from === 'now-24h');
  const isWithinDay = facts === undefined || isRecent(facts.newest, logs.question.bounds.to - DAY);
  return (
    <>
      {newest !== undefined && newest !== 'none' && (
        <button
          type="button"
          class="button primary"
          onClick={() =>
            change({
              range: fixedRange(newest.at - 60 * MINUTE, newest.at + MINUTE),
              ...(newest.isFiltered ? {} : { filter: '' }),
            })
          }
        >
          Show {newest.isFiltered ? 'it' : 'it without the filter'}: {dayText(newest.at, zone.value)}
        </button>
      )}
      {day !== undefined && day.range.from !== range.from && isWithinDay && (
        <button type="button" class="button" onClick={() => change({ range: day.range })}>
          {day.title}
        </button>
      )}
    </>
  );
}

/** A row may be there if the time of the newest one is not known. */
function isRecent(newest: EmptyFacts['newest'], since: number): boolean {
  return newest === undefined || (newest !== 'none' && newest.isFiltered && newest.at >= since);
}

function Unknown({
  field: { path, looked, nearest },
  onFilter,
}: {
  readonly field: UnknownField;
  readonly onFilter: (filter: string) => void;
}) {
  return (
    <p class="log-unknown">
      No row has{' '}
      <code>
        <Visible text={writePath(path)} />
      </code>{' '}
      among the {looked.toLocaleString('en')} newest.{' '}
      {nearest !== undefined && (
        <button type="button" class="button small" onClick={() => onFilter(nearest.lql)}>
          Did you mean{' '}
          <span class="mono">
            <Visible text={writePath(nearest.path)} />
          </span>
        </button>
      )}
    </p>
  );
}

function newestWords(newest: NonNullable<EmptyFacts['newest']>, zone: Zone): string {
  if (newest === 'none') return 'The table has no rows at any time.';
  const at = dayText(newest.at, zone);
  return newest.isFiltered
    ? `The newest row is of ${at}.`
    : `No row matches at any time. The newest row of the table is of ${at}.`;
}

/** Returns undefined while the facts are loaded. */
function useEmptyFacts({ question }: Logs): EmptyFacts | undefined {
  const { client, key } = useExplorer();
  const [facts, setFacts] = useState<EmptyFacts>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setFacts(undefined);
    const found = emptyFacts({ client, key: key.value ?? '', signal }, question);
    found.then(
      (next) => {
        if (!signal.aborted) setFacts(next);
      },
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
    return () => controller.abort();
  }, [question]);
  return facts;
}
