// The result's status: row count, time per stage, cache status, and whether rows were truncated.
import type { Answer, Cache } from '../service/answer.ts';
import type { Row } from '../service/json.ts';
import { timeOf } from '../chart/values.ts';
import { Icon } from '../parts/icon.tsx';
import { counted } from '../parts/words.ts';
import { useExplorer } from '../state/context.ts';

interface Props {
  readonly answer: Answer;
  readonly maxRows: number;
  /** The request has changed since this run. */
  readonly isPast: boolean;
}

export function StatusLine({ answer, maxRows, isPast }: Props) {
  const { rows, truncated, next, stages, cache, ms, size, read } = answer;
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
    </div>
  );
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
