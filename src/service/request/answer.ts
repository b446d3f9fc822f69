// The request path: every stage of a call, from authentication to the encoded response.
import { etagInParts } from '../cache/entry.ts';
import type { CacheDirectives } from '../cache/freshness.ts';
import type { Describe } from '../endpoints/describe.ts';
import type { Observe } from '../../sql/base/observation.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { Problem } from '../../sql/base/problem.ts';
import type { Engine } from '../engine/engine.ts';
import { contentTypeOf } from '../formats/formats.ts';
import { cutLines } from '../formats/lines.ts';
import type { Budgets } from '../limits/budgets.ts';
import type { Bindings } from '../params/binder.ts';
import { demandedRedactor, isRedacting } from '../../guard/redact/demand.ts';
import { redactRows } from './redacted-rows.ts';
import {
  createAdmission,
  type Admission,
  type AdmissionDeps,
  type AdmissionKind,
  type Admitted,
} from './admit.ts';
import type { Bulkhead } from './bulkhead.ts';
import type { Answer, AnswerSummary, Call, CallRecord } from './call.ts';
import { parametersOf } from './consumer-query.ts';
import { encodeRows, type Encoding } from './encode.ts';
import { produceEngineFormat } from './engine-format.ts';
import { runProblem } from './engine-problems.ts';
import { createExplain, type Explain } from './explain.ts';
import { labelsOf } from './labels.ts';
import { createLive, type Live, type LiveOptions } from './live/live.ts';
import { questionOf, readLive, type Question } from './live/question.ts';
import type { LiveStream } from './live/stream.ts';
import { createAddMetadata, wantsMetadata, type MetadataTask } from './metadata.ts';
import { cutPage, openPage, planPage, type ColumnsOf } from './pages.ts';
import type { MakePlan } from './plan.ts';
import type { Plan } from './planned.ts';
import { createResults, type Produced, type Result, type ResultsDeps, type Task } from './result.ts';
import { shapeOf } from './result-shape.ts';
import { sharedCaching } from './shared-caching.ts';
import { runPlan, type Requester, type RunContext } from './run.ts';
import type { Sandboxes } from './sandboxes.ts';
import { analysisOf, createSpending } from './spending.ts';
import type { Shadow, ShadowedCall } from './shadow/shadow.ts';
import type { Transformer } from './transform/transformer.ts';
import { replayWhileValid, whileValid } from './validity.ts';
import { requestedWorkload } from './workload.ts';

export interface RequestPathDeps extends AdmissionDeps, ResultsDeps {
  /** Undefined: no live calls. */
  readonly live?: Omit<LiveOptions, 'read' | 'clock' | 'observe' | 'failures'> | undefined;
  readonly plan: MakePlan;
  readonly sandboxes: Pick<Sandboxes, 'rejection'>;
  readonly describe: Pick<Describe, 'samples' | 'result'>;
  readonly engine: Engine;
  readonly bulkhead: Bulkhead;
  readonly transformer: Transformer;
  readonly observe: Observe;
  readonly budgets: Budgets;
  /** Compares versions after calls; undefined: not here. */
  readonly shadow?: Shadow | undefined;
}

/** A call that is authorized and planned. Durations are milliseconds. */
export interface Prepared extends Task, Pick<Admitted, 'isStillAdmitted' | 'successor'> {
  /** Undefined: the call gets one answer. */
  readonly question: Question | undefined;
  readonly requester: Requester & { readonly key: string };
  readonly directives: CacheDirectives;
  readonly preferredShape: Answer['preferredShape'];
  readonly shared: Answer['shared'];
  /** Undefined: the body has no `meta`. */
  readonly metadata: (Pick<MetadataTask, 'isReadShown'> & { readonly isPreferred: boolean }) | undefined;
  /** The call, for a comparison with the next version; undefined for calls that are never compared. */
  readonly shadowed: ShadowedCall | undefined;
  readonly timing: { readonly auth: number; readonly plan: number };
}

/** Every function throws Problem for errors that the caller or the endpoint's author has to fix. */
export interface RequestPath extends Pick<Admission, 'admitKey' | 'identifyKey'> {
  /** Everything before execution: no rows are read. */
  readonly prepare: (call: Call) => Promise<Prepared>;
  readonly answer: (call: Call) => Promise<Answer>;
  /** An answer, or a stream if the call asks for one. */
  readonly respond: (call: Call) => Promise<Answer | Followed>;
  readonly live: Pick<Live, 'close' | 'size'> | undefined;
  readonly explain: Explain;
  /** Keeps the responses of an endpoint's examples warm, if its file says so. */
  readonly pinExamples: (endpoint: Endpoint) => Promise<void>;
}

/** A live call. */
export interface Followed extends Pick<Answer, 'endpoint' | 'successor' | 'dialect'> {
  /** Opens the stream once its first result is known. Throws Problem. */
  readonly open: () => Promise<LiveStream>;
}

/** Creates the request path: the stages of a call in order, from authentication to the encoded response. */
export function createRequestPath(deps: RequestPathDeps): RequestPath {
  const { keyUse, plan } = deps;
  const { admit: admitCall, admitKey, identifyKey } = createAdmission(deps);
  const admit: Admission['admit'] = async (call, kind) =>
    withAnalysis(deps, call, await admitCall(call, kind));
  const addMetadata = createAddMetadata(deps.engine, deps.transformer.pause);
  const results = createResults(deps, (task, context) => produce(deps, task, context));
  const { clock, observe } = deps;
  const { read, failures } = results;
  const live = deps.live && createLive({ ...deps.live, clock, observe, read, failures });

  const prepare = (call: Call): Promise<Prepared> => prepareCall(deps, admit, { call });
  const answer = async (call: Call): Promise<Answer> => answerPrepared(call, await prepare(call));

  const respond = async (call: Call): Promise<Answer | Followed> => {
    const prepared = await prepare(call);
    const { endpoint, successor, question, plan } = prepared;
    if (question === undefined) return answerPrepared(call, prepared);
    if (live === undefined) throw new Problem('live.unavailable');
    const open = (): Promise<LiveStream> => live.open(question, call.signal());
    return { endpoint, successor, dialect: plan.consumerQuery?.dialect, open };
  };

  const answerPrepared = async (call: Call, prepared: Prepared): Promise<Answer> => {
    const { requester, directives, timing, isStillAdmitted, preferredShape, successor, metadata, ...task } =
      prepared;
    const { key, spending } = requester;
    const found = await results.read(task, { requester, directives, signal: call.signal });
    const outcome = found.outcome && whileValid(found.outcome, task.bindings, deps.clock.epoch());
    const read = { ...found, outcome };
    const withMetadata =
      metadata &&
      (await addMetadata({ ...task, ...metadata, key, spending, signal: call.signal }, read).catch(
        (cause: unknown) => {
          if (metadata.isPreferred) return undefined; // the rows are worth more
          throw cause;
        },
      ));
    const { replay, ...result } = withMetadata ?? (metadata ? { ...read, replay: undefined } : read);
    if (prepared.shadowed !== undefined && result.timing.engine > 0) deps.shadow?.offer(prepared.shadowed);
    return {
      ...result,
      endpoint: task.endpoint,
      successor,
      dialect: task.plan.consumerQuery?.dialect,
      preferredShape,
      isMetadataPreferred: withMetadata && metadata?.isPreferred,
      shared: metadata === undefined ? prepared.shared : undefined,
      timing: { ...timing, ...result.timing },
      summary: summaryOf(result),
      replay:
        replay &&
        replayWhileValid(deps, task.bindings, () => {
          if (!isStillAdmitted()) return undefined;
          keyUse.note(requester.key);
          return replay();
        }),
    };
  };

  const pinExamples: RequestPath['pinExamples'] = (endpoint) => results.pinExamples(endpoint, plan);
  const explain = createExplain({ ...deps, admit });
  return { admitKey, identifyKey, prepare, answer, respond, live, explain, pinExamples };
}

interface PreparedCall {
  readonly call: Call;
  readonly kind?: AdmissionKind;
}

/** Everything before execution. Throws Problem. */
async function prepareCall(
  deps: RequestPathDeps,
  admit: Admission['admit'],
  { call, kind }: PreparedCall,
): Promise<Prepared> {
  const now = deps.clock.monotonic;
  const admitted = await admit(call, kind);
  const { endpoint: called, principal, content, consumerQuery, budgets, authMs } = admitted;
  const follows = readLive(content, called);
  const { requestId, record } = call;
  const started = now();
  const workload = requestedWorkload(called, content.reservation);
  const format = follows === undefined ? content.format : 'json';
  const { task, bindings, labels, parameters } = await taskOf(deps, { ...admitted, format, record });
  const { endpoint, shape } = task;
  const timing = { auth: authMs, plan: now() - started };
  const metadata = follows ? undefined : metadataOptions({ content, endpoint, principal, consumerQuery });
  const isReadShown = metadata?.isReadShown ?? false;
  const spending = createSpending(
    { budgets: deps.budgets, now, observe: deps.observe, endpoint: called.name, isReadShown },
    budgets,
    record,
  );
  const { id: key } = principal;
  const requester = { requestId, key, trace: record.trace, labels, workload, isPatient: false, spending };
  const isCompared = endpoint.version !== undefined && consumerQuery === undefined && task.page === undefined;
  const question = follows && {
    ...questionOf(follows, { task, consumerQuery, bindings, policy: called.live }),
    requester,
    principal: principal.name,
    isCurrent: admitted.isCurrent,
    again: async () => {
      const again = { ...call, read: async () => content, record: {} };
      const { question: found } = await prepareCall(deps, admit, { call: again, kind: 'again' });
      if (found === undefined) throw new Problem('live.unavailable');
      return found;
    },
  };
  return {
    ...task,
    question,
    shadowed: isCompared
      ? { endpoint: called, parameters, principal, redact: content.redact, requestId }
      : undefined,
    successor: admitted.successor,
    preferredShape: content.resultShape && shape,
    shared: sharedCaching(called, { principal, consumerQuery }),
    metadata,
    requester,
    directives: content.directives,
    timing,
    isStillAdmitted: admitted.isStillAdmitted,
  };
}

interface AdmittedCall extends Pick<Admitted, 'endpoint' | 'principal' | 'content' | 'consumerQuery'> {
  readonly format: Task['format'];
  readonly record: CallRecord;
}

/** Analyses of a consumer query count against the budgets of the call. */
function withAnalysis(
  { budgets, observe, clock }: RequestPathDeps,
  { record }: Pick<Call, 'record'>,
  admitted: Admitted,
): Admitted {
  const { consumerQuery, endpoint, budgets: limits } = admitted;
  if (consumerQuery === undefined) return admitted;
  const deps = { budgets, now: clock.monotonic, observe, endpoint: endpoint.name };
  return { ...admitted, consumerQuery: { ...consumerQuery, analysis: analysisOf(deps, limits, record) } };
}

/** What a call asks for now, and what it will at another time. Throws Problem. */
async function taskOf(
  deps: RequestPathDeps,
  { endpoint: called, principal, content, consumerQuery, format, record }: AdmittedCall,
) {
  const redactor = demandedRedactor(called.redaction, { key: principal.redact, header: content.redact });
  const parameters = parametersOf(content, called);
  const bindAt = (time: number): Bindings => called.binder.bind(parameters, time, principal.locked);
  const current = bindAt(deps.clock.epoch());
  const endpoint = called.variantOf(current);
  const opened = openPage(endpoint, { content, consumerQuery, bindings: current });
  const bindings = opened?.at === undefined ? current : { ...bindAt(opened.at), until: Infinity };
  const labels = labelsOf(endpoint, bindings.values, content.labels);
  record.labels = labels;
  const planAt = async (at: Bindings): Promise<Plan> => {
    const whole = await deps.plan(endpoint, at, consumerQuery, isRedacting(redactor));
    return opened === undefined ? whole : planPage(columnsOf(deps), { endpoint, opened, plan: whole });
  };
  const planned = await planAt(bindings);
  const { resultShape: request } = content;
  const shape = shapeOf(format, { request, key: principal.resultShape, endpoint: endpoint.resultShape });
  const taskAt = async (time: number): Promise<Task> => {
    if (opened?.at !== undefined) return task; // of the time of the first page
    const later = bindAt(time);
    return { ...task, bindings: later, plan: await planAt(later) };
  };
  const page = opened?.page;
  const task: Task = { endpoint, plan: planned, page, redactor, format, shape, bindings, at: taskAt };
  return { task, bindings, labels, parameters };
}

function columnsOf({ describe, engine }: RequestPathDeps): ColumnsOf {
  return async (endpoint, plan) => {
    if (plan.consumerQuery === undefined) return describe.result(endpoint);
    return engine.describe(plan.statement).catch((cause: unknown) => {
      throw runProblem(cause, plan, new AbortController().signal);
    });
  };
}

/** Undefined: the body has none. */
function metadataOptions({
  content,
  endpoint,
  principal,
  consumerQuery,
}: Pick<Admitted, 'content' | 'endpoint' | 'principal' | 'consumerQuery'>): Prepared['metadata'] {
  if (!wantsMetadata(content, endpoint)) return undefined;
  return {
    isReadShown: consumerQuery === undefined && principal.locked.size === 0,
    isPreferred: content.metadata === 'preferred',
  };
}

/** The result of a task, encoded. Throws Problem. */
async function produce(deps: RequestPathDeps, task: Task, context: RunContext): Promise<Produced> {
  const { format } = task;
  const produced =
    typeof format === 'string'
      ? await produceRows(deps, { ...task, format }, context)
      : await produceEngineFormat(deps, { ...task, format }, context);
  return { ...produced, etag: await etagInParts(produced.body, deps.transformer.pause) };
}

/** Runs a task, truncates the rows, redacts them and encodes the rest: nothing unredacted is ever cached. Throws Problem. */
async function produceRows(
  deps: RequestPathDeps,
  task: Task & Pick<Encoding, 'format'>,
  context: RunContext,
): Promise<Produced> {
  const { engine, bulkhead, clock, transformer } = deps;
  const now = clock.monotonic;
  const started = now();
  const { lines, queueMs, read } = await runPlan({ engine, bulkhead, now }, task, context);
  const ran = now();
  const { maxRows } = task.endpoint;
  const cut =
    task.page === undefined
      ? cutLines(lines, maxRows)
      : await cutPage({ transformer, context }, lines, task.page, maxRows);
  const redacted = { ...cut, lines: await redactRows(deps, task, cut.lines, context) };
  const cleaned = now();
  const { signal, key, spending } = context;
  const body = await encodeRows({ engine, transformer }, redacted, { ...task, signal, key, spending });
  const { rows, truncated, next } = cut;
  const contentType = contentTypeOf(task.format);
  const engineMs = ran - started - queueMs;
  const timing = { queue: queueMs, engine: engineMs, redact: cleaned - ran, encode: now() - cleaned };
  const cost = { rowsRead: read?.rows, bytesRead: read?.bytes, engineMs };
  return { body, rows, truncated, next, contentType, timing, read, cost };
}

function summaryOf({ rows, timing }: Pick<Result, 'rows' | 'timing'>): AnswerSummary {
  return { resultRows: rows, elapsedNs: Math.round(timing.engine * 1e6) };
}
