// What a log view shows: the rows, histogram and facets of one question, older rows, and new ones while it follows.
import { batch, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { Answer } from '../service/answer.ts';
import type { Ask, Client } from '../service/client.ts';
import type { WhenReleased } from '../parts/press.ts';
import type { Row } from '../service/json.ts';
import { CallFailure, type Problem } from '../service/problem.ts';
import { facetCalls, loadFacets, type Facet } from './facets.ts';
import { createFollower, isFollowing, type FollowerOptions, type Following } from './follower.ts';
import { histogramByLql, histogramOf, readHistogram, withRows, type HistogramView } from './histogram.ts';
import { olderRows, unseen } from './older-rows.ts';
import { basisOf, canSendSql, rowsNeedSql, rowsOf, type LogQuestion, type RowsPage } from './questions.ts';

/** One of the three calls of a screen. */
export interface Part<Value> {
  /** It stays while another one is loaded, and if that fails. */
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
  /** More rows came at once than could be followed: some of them are left out. */
  readonly hasGap: boolean;
}

/** The call for older rows. */
export interface Older {
  readonly isLoading: boolean;
  readonly problem: Problem | undefined;
}

export interface LogStore {
  readonly rows: ReadonlySignal<Part<RowsView>>;
  readonly histogram: ReadonlySignal<Part<HistogramView>>;
  readonly facets: ReadonlySignal<Part<readonly Facet[]>>;
  readonly older: ReadonlySignal<Older>;
  /** New rows that are not shown yet, the newest first. */
  readonly fresh: ReadonlySignal<readonly Row[]>;
  readonly following: ReadonlySignal<Following>;
  /** Asks all three; what an earlier question still waits for is cancelled. Following goes on if the question is about now. */
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

/** Before the first question is asked, it is not known that there are no rows. */
const UNASKED = { value: undefined, isLoading: true, problem: undefined, ask: undefined } as const;
const NO_ROWS: RowsView = { rows: [], hasOlder: false, isIncomplete: false, hasGap: false };
const NO_OLDER: Older = { isLoading: false, problem: undefined };

interface Parts {
  readonly rows: Signal<Part<RowsView>>;
  readonly histogram: Signal<Part<HistogramView>>;
  readonly facets: Signal<Part<readonly Facet[]>>;
}

interface LogState extends Parts {
  readonly older: Signal<Older>;
  readonly fresh: Signal<readonly Row[]>;
}

/** What is loaded now. */
interface Load {
  readonly question: LogQuestion;
  readonly controller: AbortController;
  /** The SQL that the rows need, if they do. */
  sql: string | undefined;
  /** Undefined: there are no older rows. */
  next: RowsPage | undefined;
  /** Rows between those that were found later and the others may be left out. */
  hasGap: boolean;
}

export function createLogStore(options: LogStoreOptions): LogStore {
  const parts: Parts = { rows: signal(UNASKED), histogram: signal(UNASKED), facets: signal(UNASKED) };
  const state: LogState = { ...parts, older: signal(NO_OLDER), fresh: signal([]) };
  const { rows, older, fresh } = state;
  let current: Load | undefined;
  const follower = createFollower({
    ...options,
    // While rows are loaded, those that are shown belong to an earlier question.
    known: () => [...fresh.value, ...(rows.value.isLoading ? [] : (rows.value.value?.rows ?? []))],
    found: (found, hasGap) => {
      const load = current;
      const all = [...found, ...fresh.value];
      fresh.value = all.slice(0, MAX_FRESH);
      if (load === undefined) return;
      load.hasGap ||= hasGap || all.length > MAX_FRESH;
      options.whenReleased(() => {
        if (load === current) count(parts.histogram, found, load.question);
      });
    },
  });
  return {
    ...state,
    following: follower.following,
    load: (question) => {
      const before = current;
      before?.controller.abort();
      current = loadOf(question);
      batch(() => {
        fresh.value = [];
        older.value = NO_OLDER;
        for (const part of Object.values(parts) as readonly Signal<Part<unknown>>[])
          part.value = {
            ...(isAboutSame(before?.question, question) ? part.value : UNASKED),
            isLoading: true,
          };
      });
      loadParts(options, state, current);
      if (!question.isOpen) follower.stop();
      else if (isFollowing(follower.following.value)) follower.start(question);
    },
    loadOlder: () => {
      const { value: shown, isLoading } = rows.value;
      if (shown === undefined || current?.next === undefined || isLoading || older.value.isLoading) return;
      if (!shown.hasOlder || shown.rows.length >= MAX_ROWS) return;
      void loadOlder(options, current, state);
    },
    follow: () => current && follower.start(current.question),
    pause: follower.stop,
    showFresh: () => {
      if (current !== undefined) showFresh(state, current);
    },
    close: () => {
      current?.controller.abort();
      follower.stop();
    },
  };
}

function loadOf(question: LogQuestion): Load {
  return { question, controller: new AbortController(), sql: undefined, next: undefined, hasGap: false };
}

/** If only filter and range differ, the rows of one question are shown while those of the other are loaded. */
function isAboutSame(one: LogQuestion | undefined, other: LogQuestion): boolean {
  return one !== undefined && subjectOf(one) === subjectOf(other);
}

function subjectOf({ endpoint, view, parameters }: LogQuestion): string {
  return JSON.stringify([endpoint.id, view, parameters]);
}

function showFresh({ rows, fresh }: LogState, load: Load): void {
  const { value, isLoading } = rows.value;
  if (fresh.value.length === 0 || isLoading) return;
  batch(() => {
    const all = [...fresh.value, ...(value?.rows ?? [])].slice(0, MAX_ROWS);
    rows.value = { ...rows.value, value: { ...NO_ROWS, ...value, hasGap: load.hasGap, rows: all } };
    fresh.value = [];
  });
}

function runner({ client, key }: LogStoreOptions, { controller }: Load): (ask: Ask) => Promise<Answer> {
  return (ask) => client.run(key() ?? '', ask, { signal: controller.signal, isFresh: false });
}

/** Sends at most three engine queries and one explanation, and one of each for every facet whose values the filter chooses. */
function loadParts(options: LogStoreOptions, state: LogState, load: Load): void {
  const { question, controller } = load;
  const { rows, histogram, facets, fresh } = state;
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
    const shown = { rows: page.rows, hasOlder: page.next !== undefined, isIncomplete: false, hasGap: false };
    // New rows may have been found before: some of them are in the response as well.
    return { value: shown, shown: () => (fresh.value = unseen(page.rows, fresh.value, question.view.time)) };
  });
  void fill(histogram, filled, async (asked) => {
    const made = isSql ? histogramOf(question, basis, await explained) : histogramByLql(question);
    const { rows: counts } = await run(asked(made.ask));
    const { width, hasSeverities } = made;
    return { value: { buckets: readHistogram(made, counts), width, hasSeverities } };
  });
  void fill(facets, filled, async (asked) => {
    if (!isSql) return { value: [] };
    const calls = facetCalls(options.client, options.key() ?? '', aborted);
    return { value: await loadFacets(question, explained, { ...calls, run: (ask) => run(asked(ask)) }) };
  });
}

async function loadOlder(
  options: LogStoreOptions,
  load: Load,
  { rows, older }: Pick<LogState, 'rows' | 'older'>,
): Promise<void> {
  const { controller, question, next, sql } = load;
  if (next === undefined) return;
  older.value = { isLoading: true, problem: undefined };
  try {
    const answer = await runner(options, load)(rowsOf(question, next, sql));
    if (controller.signal.aborted) return;
    const { rows: known, isIncomplete, hasGap } = rows.value.value ?? NO_ROWS;
    const more = olderRows(question, known, answer);
    load.next = more.next;
    batch(() => {
      older.value = NO_OLDER;
      const value = {
        rows: [...known, ...more.rows],
        hasOlder: more.next !== undefined,
        isIncomplete: isIncomplete || more.isIncomplete,
        hasGap,
      };
      rows.value = { ...rows.value, value };
    });
  } catch (error) {
    if (!controller.signal.aborted) older.value = { isLoading: false, problem: problemOf(error) };
  }
}

/** `shown` is called when the part shows the value. */
interface Filled<Value> {
  readonly value: Value;
  readonly shown?: () => void;
}

/** Loads one part. `asked` notes the call behind it. */
async function fill<Value>(
  part: Signal<Part<Value>>,
  { aborted, whenReleased }: { readonly aborted: AbortSignal; readonly whenReleased: WhenReleased },
  read: (asked: (ask: Ask) => Ask) => Promise<Filled<Value>>,
): Promise<void> {
  const asked = (ask: Ask): Ask => {
    if (!aborted.aborted) part.value = { ...part.value, ask };
    return ask;
  };
  const end = (change: Partial<Part<Value>>, shown?: () => void): void =>
    whenReleased(() => {
      if (aborted.aborted) return;
      batch(() => {
        part.value = { ...part.value, isLoading: false, problem: undefined, ...change };
        shown?.();
      });
    });
  try {
    const { value, shown } = await read(asked);
    end({ value }, shown);
  } catch (error) {
    if (!aborted.aborted) end({ problem: problemOf(error) });
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
