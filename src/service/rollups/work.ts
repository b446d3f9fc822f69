// Does the work of `millrace rollup`: the same in its own process and, as lines of JSON, in a service that has the data folder open.
import type { Finding } from '../../sql/base/finding.ts';
import type { RollupDeclaration } from '../endpoints/rollups/read-rollups.ts';
import { compareRollup, applyRollup, dropRollup, keepRollup, type KeptRollup } from './keep.ts';
import { estimateRollup, gainOf, wouldPay, type RollupEstimate } from './estimate.ts';
import type { RollupDeps } from './rebuild.ts';
import { askRows } from './ask.ts';
import { resolveRollup } from './resolve.ts';
import { createStandingOf } from './standing.ts';
import { daysText, statusEvent, timeText, type RollupStatus } from './status.ts';
import { createStates, readStates, stateOf, type RollupState } from './state.ts';
import { createStatements } from './statements.ts';

export type RollupAction = 'plan' | 'apply' | 'backfill' | 'status' | 'drop';

export interface RollupRequest {
  readonly action: RollupAction;
  /** Names of rollups, or `name@version`; none: all of the files. */
  readonly names: readonly string[];
  readonly cluster: string | undefined;
}

/** These happen in order. */
export type WorkEvent =
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'line' | 'progress' | 'warning'; readonly text: string }
  | { readonly kind: 'status'; readonly text: string; readonly status: RollupStatus }
  | { readonly kind: 'failed'; readonly text: string };

export interface WorkDeps extends RollupDeps {
  readonly declared: readonly RollupDeclaration[];
}

/** Rejects with EngineError. */
export async function* rollupWork(deps: WorkDeps, request: RollupRequest): AsyncGenerator<WorkEvent> {
  const { action, names } = request;
  if (action === 'drop') return yield* drop(deps, request);
  const unknown = names.filter((name) => !deps.declared.some(({ rollup }) => rollup.name === name));
  if (unknown.length > 0)
    return yield { kind: 'failed', text: `No file declares the rollup ${unknown.join(', ')}` };
  const chosen = deps.declared.filter(({ rollup }) => names.length === 0 || names.includes(rollup.name));
  if (chosen.length === 0 && action !== 'status')
    return yield {
      kind: 'failed',
      text: 'No file of the endpoints folder declares rollups',
    };
  for (const declaration of chosen) yield* workOn(deps, request, declaration);
  if (action === 'status') yield* others(deps);
}

async function* workOn(
  deps: WorkDeps,
  { action, cluster }: RollupRequest,
  declaration: RollupDeclaration,
): AsyncGenerator<WorkEvent> {
  const resolved = await resolveRollup(deps.engine, declaration, cluster);
  if (resolved.plan === undefined) {
    for (const finding of resolved.findings) yield { kind: 'finding', finding };
    return;
  }
  switch (action) {
    case 'plan':
      return yield* plan(deps, resolved);
    case 'apply':
      await applyRollup(deps, resolved);
      return yield line(`${referenceOf(resolved.plan.rollup)}: created; millrace rollup backfill fills it`);
    case 'backfill':
      return yield* backfill(deps, resolved);
    case 'status':
      return yield* status(deps, resolved);
    case 'drop':
  }
}

function line(text: string): WorkEvent {
  return { kind: 'line', text };
}

function referenceOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}@${version}`;
}

async function* plan({ engine }: WorkDeps, { plan: own }: KeptRollup): AsyncGenerator<WorkEvent> {
  const [database = '', ...statements] = createStatements(own);
  for (const sql of [database, createStates(own), ...statements]) yield line(`${sql};`);
  const estimates = await estimateRollup(engine, own);
  for (const each of estimates) yield line(`-- ${estimateText(each)}`);
  const { database: of, table } = own.rollup.source;
  if (estimates.length === 0)
    yield { kind: 'warning', text: `${of}.${table} has no rows, so that the gain is not known` };
  else if (!wouldPay(estimates))
    yield {
      kind: 'warning',
      text: `${own.rollup.name} would not pay: its groups have too few rows. Leave out dimensions, or use wider buckets`,
    };
}

function estimateText(estimate: RollupEstimate): string {
  const { every, rows, groups } = estimate;
  return `buckets of ${every} s: ${groups} groups for ${rows} rows of the newest days; queries read 1/${gainOf(estimate).toFixed(1)} of the rows`;
}

/** Rows that are inserted meanwhile can make some days differ again. */
const ROUNDS = 5;

async function* backfill(deps: WorkDeps, kept: KeptRollup): AsyncGenerator<WorkEvent> {
  const reference = referenceOf(kept.plan.rollup);
  for (let round = 1; round <= ROUNDS; round++) {
    let unequal: readonly string[] = [];
    for await (const event of keepRollup(deps, kept, round === 1)) {
      if (event.kind === 'filled')
        yield {
          kind: 'progress',
          text: `${reference}: ${event.days.length} days filled, ${event.left} rows to read`,
        };
      else if (event.kind === 'unequal') unequal = event.days;
      else if (unequal.length === 0 || round === ROUNDS) yield line(`${reference}: ${coverageText(event)}`);
    }
    if (unequal.length === 0) return;
    if (round === ROUNDS)
      yield {
        kind: 'warning',
        text: `${reference}: rows are inserted or expire on ${daysText(unequal)}, which are read from the rows`,
      };
  }
}

function coverageText({ from, until }: { readonly from: number; readonly until: number }): string {
  if (until <= from) return 'no times are covered';
  return `equal to its rows from ${timeText(from)} to ${timeText(until)}`;
}

async function* status(deps: WorkDeps, kept: KeptRollup): AsyncGenerator<WorkEvent> {
  const { name, version } = kept.plan.rollup;
  const known = stateOf(await readStates(deps.engine), kept.plan.rollup);
  if (known === undefined) return yield statusEvent({ name, version, state: 'not applied' });
  const found = await statusOf(deps, known);
  const differs = await compareRollup(deps, kept);
  yield statusEvent({ ...found, ...(differs.length === 0 ? {} : { differs }) });
}

/** Versions that the files do not declare. */
async function* others(deps: WorkDeps): AsyncGenerator<WorkEvent> {
  for (const state of await readStates(deps.engine)) {
    const { name, version } = state.rollup;
    const own = deps.declared.find(({ rollup }) => rollup.name === name)?.rollup.version;
    if (own === version) continue;
    const declared = own === undefined ? { isDeclared: false } : { replacedBy: own };
    yield statusEvent({ ...(await statusOf(deps, state)), ...declared });
  }
}

async function statusOf({ engine }: WorkDeps, state: RollupState): Promise<RollupStatus> {
  const { rollup, checked } = state;
  const [row] = await askRows(engine, 'SELECT toUnixTimestamp64Milli(now64(3))');
  const standing = await createStandingOf(engine)(state, Number(row?.[0] ?? 0));
  const { name, version } = rollup;
  const compared = checked === 0 ? {} : { compared: timeText(checked / 1000) };
  if (!('reason' in standing)) {
    const [from, until] = [standing.from, standing.until].map(timeText);
    return { name, version, state: 'equal', from, until, ...compared };
  }
  if (checked === 0 && state.failure === undefined) return { name, version, state: 'not filled' };
  return { name, version, state: 'not used', reason: standing.reason, ...compared };
}

async function* drop({ engine }: WorkDeps, { names, cluster }: RollupRequest): AsyncGenerator<WorkEvent> {
  if (names.length === 0)
    return yield { kind: 'failed', text: 'Name the rollups to drop, as name or name@version' };
  const states = await readStates(engine);
  for (const name of names) {
    const chosen = states.filter(({ rollup }) => rollup.name === name || referenceOf(rollup) === name);
    if (chosen.length === 0) yield { kind: 'failed', text: `There is no rollup ${name}` };
    for (const { rollup } of chosen) {
      await dropRollup(engine, rollup, cluster);
      yield line(`${referenceOf(rollup)}: dropped`);
    }
  }
}
