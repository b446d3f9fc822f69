// What a log view shows: the rows, histogram and facets of one question, older rows, and new ones while it follows.
import { batch, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { Answer } from '../service/answer.ts';
import type { Ask, Client } from '../service/client.ts';
import type { Row } from '../service/json.ts';
import { CallFailure, type Problem } from '../service/problem.ts';
import { facetsOf, readFacets, type Facet } from './facets.ts';
import { createFollower, type FollowerOptions } from './follower.ts';
import { histogramByLql, histogramOf, readHistogram, type HistogramBucket } from './histogram.ts';
import { basisOf, canSendSql, hasPages, rowsNeedSql, rowsOf, type LogQuestion } from './questions.ts';
import { isStuck, unseen } from './row-identity.ts';

/** One of the three calls of a screen. The value stays while a new one is loaded. */
export interface Part<Value> {
  readonly value: Value | undefined;
  readonly isLoading: boolean;
  readonly problem: Problem | undefined;
  /** The call behind it; undefined: none was sent. */
  readonly ask: Ask | undefined;
}

export interface HistogramView {
  readonly buckets: readonly HistogramBucket[];
  /** Milliseconds. */
  readonly width: number;
  readonly hasSeverities: boolean;
}

export interface RowsView {
  /** The newest first. */
  readonly rows: readonly Row[];
  readonly hasOlder: boolean;
}

export interface LogStore {
  readonly rows: ReadonlySignal<Part<RowsView>>;
  readonly histogram: ReadonlySignal<Part<HistogramView>>;
  readonly facets: ReadonlySignal<Part<readonly Facet[]>>;
  readonly isLoadingOlder: ReadonlySignal<boolean>;
  /** New rows that are not shown yet, the newest first. */
  readonly fresh: ReadonlySignal<readonly Row[]>;
  readonly isFollowing: ReadonlySignal<boolean>;
  /** Asks all three; what an earlier question still waits for is cancelled. */
  load(question: LogQuestion): void;
  loadOlder(): void;
  follow(): void;
  pause(): void;
  /** Puts the new rows above the others. */
  showFresh(): void;
  close(): void;
}

export interface LogStoreOptions extends Pick<FollowerOptions, 'after' | 'epoch' | 'isVisible'> {
  readonly client: Client;
  readonly key: () => string | undefined;
}

/** Rows of a response; smaller ones are shown sooner. */
const PAGE = 200;
/** More would make the page slow: a narrower range or filter finds the others. */
export const MAX_ROWS = 20_000;
const MAX_FRESH = 5000;

const EMPTY = { value: undefined, isLoading: false, problem: undefined, ask: undefined } as const;

export function createLogStore(options: LogStoreOptions): LogStore {
  const { client } = options;
  const rows = signal<Part<RowsView>>(EMPTY);
  const histogram = signal<Part<HistogramView>>(EMPTY);
  const facets = signal<Part<readonly Facet[]>>(EMPTY);
  const isLoadingOlder = signal(false);
  const fresh = signal<readonly Row[]>([]);
  let current: { readonly question: LogQuestion; readonly controller: AbortController } | undefined;
  let older: OlderRows | undefined;
  const run = (ask: Ask, signal: AbortSignal): Promise<Answer> =>
    client.run(options.key() ?? '', ask, { signal, isFresh: false });

  const follower = createFollower({
    ...options,
    known: () => [...fresh.value, ...(rows.value.value?.rows ?? [])],
    found: (found) => {
      fresh.value = [...found, ...fresh.value].slice(0, MAX_FRESH);
    },
  });

  const load = (question: LogQuestion): void => {
    current?.controller.abort();
    const controller = new AbortController();
    current = { question, controller };
    follower.restart(question);
    const { signal: aborted } = controller;
    batch(() => {
      fresh.value = [];
      isLoadingOlder.value = false;
      for (const part of [rows, histogram, facets] as readonly Signal<Part<unknown>>[])
        part.value = { ...part.value, isLoading: true };
    });
    const basis = basisOf(question);
    const isSql = canSendSql(question);
    const explained = isSql
      ? client.explain(options.key() ?? '', basis.ask, aborted).then(({ sql }) => sql)
      : Promise.resolve('');
    explained.catch(() => undefined); // reported by the parts that need it
    void fill(rows, aborted, async (asked) => {
      const sql = rowsNeedSql(question) ? await explained : undefined;
      older = createOlderRows(question, sql);
      const answer = await run(asked(rowsOf(question, { limit: PAGE }, sql)), aborted);
      older.got(answer, PAGE);
      return { rows: answer.rows, hasOlder: older.hasMore() };
    });
    void fill(histogram, aborted, async (asked) => {
      const made = isSql ? histogramOf(question, basis, await explained) : histogramByLql(question);
      const { rows: counts } = await run(asked(made.ask), aborted);
      return { buckets: readHistogram(made, counts), width: made.width, hasSeverities: made.hasSeverities };
    });
    void fill(facets, aborted, async (asked) => {
      const ask = isSql ? facetsOf(question, basis, await explained) : undefined;
      return ask === undefined ? [] : readFacets(question, (await run(asked(ask), aborted)).rows);
    });
  };

  const loadOlder = (): void => {
    const shown = rows.value.value;
    if (shown === undefined || current === undefined || older === undefined) return;
    if (!shown.hasOlder || isLoadingOlder.value || rows.value.isLoading) return;
    if (shown.rows.length >= MAX_ROWS) return;
    const { controller } = current;
    const source = older;
    isLoadingOlder.value = true;
    source
      .next(shown.rows, (ask) => run(ask, controller.signal))
      .then(
        (more) => {
          if (controller.signal.aborted) return;
          batch(() => {
            isLoadingOlder.value = false;
            const all = [...(rows.value.value?.rows ?? []), ...more];
            rows.value = {
              ...rows.value,
              problem: undefined,
              value: { rows: all, hasOlder: source.hasMore() },
            };
          });
        },
        (error: unknown) => {
          if (controller.signal.aborted) return;
          isLoadingOlder.value = false;
          rows.value = { ...rows.value, problem: problemOf(error) };
        },
      );
  };

  return {
    rows,
    histogram,
    facets,
    isLoadingOlder,
    fresh,
    isFollowing: follower.isFollowing,
    load,
    loadOlder,
    follow: () => current && follower.start(current.question),
    pause: follower.stop,
    showFresh: () => {
      const { value } = rows.value;
      if (fresh.value.length === 0) return;
      batch(() => {
        const all = [...fresh.value, ...(value?.rows ?? [])];
        rows.value = { ...rows.value, value: { hasOlder: false, ...value, rows: all } };
        fresh.value = [];
      });
    },
    close: () => {
      current?.controller.abort();
      follower.stop();
    },
  };
}

/** Loads one part. `asked` notes the call behind it. */
async function fill<Value>(
  part: Signal<Part<Value>>,
  aborted: AbortSignal,
  read: (asked: (ask: Ask) => Ask) => Promise<Value>,
): Promise<void> {
  const asked = (ask: Ask): Ask => {
    if (!aborted.aborted) part.value = { ...part.value, ask };
    return ask;
  };
  try {
    const value = await read(asked);
    if (!aborted.aborted) part.value = { ...part.value, value, isLoading: false, problem: undefined };
  } catch (error) {
    if (aborted.aborted) return;
    part.value = { ...part.value, value: undefined, isLoading: false, problem: problemOf(error) };
  }
}

/** Other errors are defects of the page. */
function problemOf(error: unknown): Problem {
  if (error instanceof CallFailure) return error.problem;
  throw error;
}

interface OlderRows {
  got(answer: Answer, limit: number): void;
  hasMore(): boolean;
  next(known: readonly Row[], run: (ask: Ask) => Promise<Answer>): Promise<readonly Row[]>;
}

/** Pages of a question: by the cursors of the endpoint, or by time without the rows that are known. */
function createOlderRows(question: LogQuestion, sql: string | undefined): OlderRows {
  const { time } = question.view;
  const isPaged = hasPages(question);
  let cursor: string | undefined;
  let hasMore = true;
  let isStrict = false;
  const got = (answer: Answer, limit: number): void => {
    cursor = answer.next;
    hasMore = isPaged ? cursor !== undefined : answer.truncated || answer.rows.length >= limit;
  };
  return {
    got,
    hasMore: () => hasMore,
    next: async (known, run) => {
      if (isPaged) {
        const answer = await run(rowsOf(question, { limit: PAGE, cursor }, sql));
        got(answer, PAGE);
        return answer.rows;
      }
      const before = known.at(-1)?.[time];
      if (typeof before !== 'string') {
        hasMore = false;
        return [];
      }
      const answer = await run(rowsOf(question, { limit: PAGE, before, isStrict }, sql));
      got(answer, PAGE);
      const more = unseen(known, answer.rows, time);
      // A full page of one time: the rows of it that do not fit on a page are left out.
      isStrict = hasMore && more.length === 0 && !isStrict && isStuck(answer.rows, { time, before });
      if (more.length === 0 && !isStrict) hasMore = false;
      return more;
    },
  };
}
