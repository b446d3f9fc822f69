// What a log view shows: the rows, histogram and facets of one question, older rows, and new ones while it follows.
import { batch, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { Answer } from '../service/answer.ts';
import type { Ask, Client } from '../service/client.ts';
import type { WhenReleased } from '../parts/press.ts';
import type { Row } from '../service/json.ts';
import { CallFailure, type Problem } from '../service/problem.ts';
import { facetCalls, loadFacets, type Facet } from './facets.ts';
import { createFollower, type FollowerOptions } from './follower.ts';
import { histogramByLql, histogramOf, readHistogram, withRows, type HistogramView } from './histogram.ts';
import { olderRows } from './older-rows.ts';
import { basisOf, canSendSql, rowsNeedSql, rowsOf, type LogQuestion, type RowsPage } from './questions.ts';

/** One of the three calls of a screen. The value stays while a new one is loaded. */
export interface Part<Value> {
  readonly value: Value | undefined;
  readonly isLoading: boolean;
  readonly problem: Problem | undefined;
  /** The call behind it; undefined: none was sent. */
  readonly ask: Ask | undefined;
}

export interface RowsView {
  /** The newest first. */
  readonly rows: readonly Row[];
  readonly hasOlder: boolean;
  /** More rows than a response holds have one time: some of them may be left out. */
  readonly isIncomplete: boolean;
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
  readonly whenReleased: WhenReleased;
}

/** More would make the page slow: a narrower range or filter finds the others. */
export const MAX_ROWS = 20_000;
const MAX_FRESH = 5000;

const EMPTY = { value: undefined, isLoading: false, problem: undefined, ask: undefined } as const;

interface Parts {
  readonly rows: Signal<Part<RowsView>>;
  readonly histogram: Signal<Part<HistogramView>>;
  readonly facets: Signal<Part<readonly Facet[]>>;
}

/** What is loaded now. */
interface Load {
  readonly question: LogQuestion;
  readonly controller: AbortController;
  /** The SQL that the rows need, if they do. */
  sql: string | undefined;
  /** Undefined: there are no older rows. */
  next: RowsPage | undefined;
}

export function createLogStore(options: LogStoreOptions): LogStore {
  const parts: Parts = { rows: signal(EMPTY), histogram: signal(EMPTY), facets: signal(EMPTY) };
  const { rows } = parts;
  const isLoadingOlder = signal(false);
  const fresh = signal<readonly Row[]>([]);
  let current: Load | undefined;
  const follower = createFollower({
    ...options,
    known: () => [...fresh.value, ...(rows.value.value?.rows ?? [])],
    found: (found) => {
      fresh.value = [...found, ...fresh.value].slice(0, MAX_FRESH);
      const load = current;
      options.whenReleased(() => {
        if (load !== undefined && load === current) count(parts.histogram, found, load.question);
      });
    },
  });
  return {
    ...parts,
    isLoadingOlder,
    fresh,
    isFollowing: follower.isFollowing,
    load: (question) => {
      current?.controller.abort();
      current = { question, controller: new AbortController(), sql: undefined, next: undefined };
      follower.restart(question);
      batch(() => {
        fresh.value = [];
        isLoadingOlder.value = false;
        for (const part of Object.values(parts) as readonly Signal<Part<unknown>>[])
          part.value = { ...part.value, isLoading: true };
      });
      loadParts(options, parts, current);
    },
    loadOlder: () => {
      const { value: shown, isLoading } = rows.value;
      if (shown === undefined || current?.next === undefined || isLoading || isLoadingOlder.value) return;
      if (!shown.hasOlder || shown.rows.length >= MAX_ROWS) return;
      void loadOlder(options, current, { rows, isLoadingOlder });
    },
    follow: () => current && follower.start(current.question),
    pause: follower.stop,
    showFresh: () => {
      const { value } = rows.value;
      if (fresh.value.length === 0) return;
      batch(() => {
        const all = [...fresh.value, ...(value?.rows ?? [])].slice(0, MAX_ROWS);
        rows.value = { ...rows.value, value: { hasOlder: false, isIncomplete: false, ...value, rows: all } };
        fresh.value = [];
      });
    },
    close: () => {
      current?.controller.abort();
      follower.stop();
    },
  };
}

function runner({ client, key }: LogStoreOptions, { controller }: Load): (ask: Ask) => Promise<Answer> {
  return (ask) => client.run(key() ?? '', ask, { signal: controller.signal, isFresh: false });
}

/** At most three engine queries and one explanation, and one of each for every facet whose values the filter chooses. */
function loadParts(options: LogStoreOptions, { rows, histogram, facets }: Parts, load: Load): void {
  const { question, controller } = load;
  const { signal: aborted } = controller;
  const run = runner(options, load);
  const basis = basisOf(question);
  const isSql = canSendSql(question);
  const { whenReleased } = options;
  const filled = { aborted, whenReleased };
  const explained = isSql
    ? options.client.explain(options.key() ?? '', basis.ask, aborted).then(({ sql }) => sql)
    : Promise.resolve('');
  explained.catch(() => undefined); // reported by the parts that need it
  void fill(rows, filled, async (asked) => {
    load.sql = rowsNeedSql(question) ? await explained : undefined;
    const answer = await run(asked(rowsOf(question, {}, load.sql)));
    const page = olderRows(question, [], answer);
    load.next = page.next;
    return { rows: page.rows, hasOlder: page.next !== undefined, isIncomplete: false };
  });
  void fill(histogram, filled, async (asked) => {
    const made = isSql ? histogramOf(question, basis, await explained) : histogramByLql(question);
    const { rows: counts } = await run(asked(made.ask));
    return { buckets: readHistogram(made, counts), width: made.width, hasSeverities: made.hasSeverities };
  });
  void fill(facets, filled, async (asked) => {
    if (!isSql) return [];
    const calls = facetCalls(options.client, options.key() ?? '', aborted);
    return loadFacets(question, explained, { ...calls, run: (ask) => run(asked(ask)) });
  });
}

async function loadOlder(
  options: LogStoreOptions,
  load: Load,
  { rows, isLoadingOlder }: Pick<Parts, 'rows'> & { readonly isLoadingOlder: Signal<boolean> },
): Promise<void> {
  const { controller, question, next, sql } = load;
  if (next === undefined) return;
  isLoadingOlder.value = true;
  try {
    const answer = await runner(options, load)(rowsOf(question, next, sql));
    if (controller.signal.aborted) return;
    const known = rows.value.value?.rows ?? [];
    const more = olderRows(question, known, answer);
    load.next = more.next;
    const isIncomplete = more.isIncomplete || rows.value.value?.isIncomplete === true;
    batch(() => {
      isLoadingOlder.value = false;
      const value = { rows: [...known, ...more.rows], hasOlder: more.next !== undefined, isIncomplete };
      rows.value = { ...rows.value, problem: undefined, value };
    });
  } catch (error) {
    if (controller.signal.aborted) return;
    isLoadingOlder.value = false;
    rows.value = { ...rows.value, problem: problemOf(error) };
  }
}

/** Loads one part. `asked` notes the call behind it. */
async function fill<Value>(
  part: Signal<Part<Value>>,
  { aborted, whenReleased }: { readonly aborted: AbortSignal; readonly whenReleased: WhenReleased },
  read: (asked: (ask: Ask) => Ask) => Promise<Value>,
): Promise<void> {
  const asked = (ask: Ask): Ask => {
    if (!aborted.aborted) part.value = { ...part.value, ask };
    return ask;
  };
  const end = (value: Value | undefined, problem: Problem | undefined): void =>
    whenReleased(() => {
      if (!aborted.aborted) part.value = { ...part.value, value, isLoading: false, problem };
    });
  try {
    end(await read(asked), undefined);
  } catch (error) {
    if (!aborted.aborted) end(undefined, problemOf(error));
  }
}

/** Not while it is loaded: it may have them already. */
function count(histogram: Signal<Part<HistogramView>>, rows: readonly Row[], question: LogQuestion): void {
  const { value, isLoading } = histogram.value;
  if (value !== undefined && !isLoading)
    histogram.value = { ...histogram.value, value: withRows(value, rows, question) };
}

/** Other errors are defects of the page. */
function problemOf(error: unknown): Problem {
  if (error instanceof CallFailure) return error.problem;
  throw error;
}
