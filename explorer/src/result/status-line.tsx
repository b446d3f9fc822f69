// The result's status: row count, time per stage, cache status, and whether rows were truncated.
import type { Answer, Cache, DataAge } from '../service/answer.ts';
import type { Ask } from '../service/client.ts';
import type { Row } from '../service/json.ts';
import { timeOf } from '../chart/values.ts';
import { Icon } from '../parts/icon.tsx';
import { counted } from '../parts/words.ts';
import { useExplorer } from '../state/context.ts';
import { WhyButton } from '../calls/why-button.tsx';

interface Props {
  readonly answer: Answer;
  readonly ask: Ask;
  readonly maxRows: number;
  /** The request has changed since this run. */
  readonly isPast: boolean;
}

export function StatusLine({ answer, ask, maxRows, isPast }: Props) {
  const { rows, truncated, next, stages, cache, ms, size, read, dataAge } = answer;
  return (
    <div class="status" role="group" aria-label="Response details">
      <span class="status-rows" role="status">
        <strong>{counted(rows.length, 'row')}</strong>, {bytes(size)}
      </span>
      {isPast && <span class="status-cut">of the previous request: run to update</span>}
      {truncated && (
        <span class="status-cut">
          <Icon name="warn" /> truncated at {maxRows.toLocaleString('en')} rows
        </span>
      )}
      <Pages next={isPast ? undefined : next} />
      <span class="status-cache" data-kind={cache.kind}>
        {cacheWords(cache)}
      </span>
      {dataAge !== undefined && <Age {...dataAge} />}
      {read !== undefined && (
        <span title="From tables, before filters">
          read {counted(read.rows, 'row')}, {bytes(read.bytes)}
        </span>
      )}
      {hasTimes(rows[0]) && <span>times in UTC</span>}
      <span class="status-times">
        <span class="times-bar" aria-hidden="true">
          {stages.map(({ name, ms }) => (
            <i key={name} data-stage={name} style={{ flexGrow: ms }} />
          ))}
        </span>
        {stages.map(({ name, ms }) => (
          <span key={name} class="stage" data-stage={name}>
            {name} {ms.toFixed(1)}
          </span>
        ))}
        <span class="stage">
          <strong>{ms.toFixed(0)} ms</strong> total
        </span>
      </span>
      <WhyButton ask={ask} requestId={answer.requestId} />
    </div>
  );
}

/** How old the data is, if the endpoint declares how old it may be. */
function Age({ seconds, isStale }: DataAge) {
  const age = seconds === undefined ? 'data of unknown age' : `data ${ageWords(seconds)} old`;
  return (
    <span class={isStale ? 'status-cut' : 'status-age'}>
      {isStale && <Icon name="warn" />} {isStale ? `${age}: older than it may be` : age}
    </span>
  );
}

/** Prints it in the largest unit that it has two of. */
function ageWords(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** The pages of an endpoint that divides its rows. Each is a step of the browser's history. */
function Pages({ next }: { readonly next: string | undefined }) {
  const { address, change, start } = useExplorer();
  const { cursor } = address.value;
  if (next === undefined && cursor === undefined) return null;
  const show = (page: string | undefined): void => {
    change({ cursor: page });
    void start();
  };
  return (
    <span class="pages" role="group" aria-label="Pages">
      {cursor !== undefined && (
        <button type="button" class="button small" onClick={() => show(undefined)}>
          First page
        </button>
      )}
      {next === undefined ? (
        <span>last page</span>
      ) : (
        <button type="button" class="button small" onClick={() => show(next)}>
          Next page
        </button>
      )}
    </span>
  );
}

/** The service sends times in UTC, with or without a `Z`. */
function hasTimes(row: Row | undefined): boolean {
  return Object.values(row ?? {}).some((value) => timeOf(value) !== undefined);
}

/** The cache status, for display. */
function cacheWords(cache: Cache): string {
  switch (cache.kind) {
    case 'none':
      return 'not cached';
    case 'hit':
      return cache.isUnchanged === true
        ? `cached response, data unchanged ${cache.age} s ago, ${freshness(cache.ttl)}`
        : `cached response, ${cache.age} s old, ${freshness(cache.ttl)}`;
    case 'stored':
      return `computed and cached, ${freshness(cache.ttl)}`;
    case 'shared':
      return `shared with concurrent requests, ${freshness(cache.ttl)}`;
    case 'ran':
      return 'computed';
  }
}

function freshness(ttl: number): string {
  return ttl < 0 ? `stale for ${-ttl} s` : `fresh for ${ttl} s`;
}

function bytes(length: number): string {
  if (length < 1000) return `${length} B`;
  return length < 1_000_000 ? `${(length / 1000).toFixed(1)} kB` : `${(length / 1e6).toFixed(1)} MB`;
}
