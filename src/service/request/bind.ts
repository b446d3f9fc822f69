// The second stage of a call: its parameters become typed values, which choose the variant of the endpoint's query.
import type { Endpoint, ResultShape } from '../endpoints/endpoint.ts';
import { Problem } from '../../sql/base/problem.ts';
import type { CallContent, LiveRequest } from './call.ts';
import type { Clock } from '../../sql/base/clock.ts';
import type { Bindings } from '../params/binder.ts';
import type { RawValue } from '../params/reading.ts';
import { demandedRedactor } from '../../guard/redact/demand.ts';
import type { Redactor } from '../../guard/redact/redactor.ts';
import type { Admitted } from './admit.ts';
import { parametersOf } from './consumer/consumer-query.ts';
import { shapeOf } from './formats/result-shape.ts';
import { labelsOf, type Labels } from './labels.ts';
import { requestedWorkload } from './limits/workload.ts';
import { openPage, type OpenedPage } from './pages/open-page.ts';

/** A call asks for this, as values. The consumer query in it is not checked. */
export interface Bound {
  readonly admitted: Admitted;
  /** The variant of the endpoint that the values choose. */
  readonly endpoint: Endpoint;
  /** The parameters as sent. */
  readonly parameters: ReadonlyMap<string, readonly RawValue[]>;
  readonly bindings: Bindings;
  readonly redactor: Redactor;
  readonly format: CallContent['format'];
  /** Undefined for formats that have none. */
  readonly shape: ResultShape | undefined;
  /** It is how NaN and infinities are written; undefined means as null, or as the format writes them. */
  readonly nonFinite: 'string' | undefined;
  /** Undefined: the rows are not divided into pages. */
  readonly opened: OpenedPage | undefined;
  /** How the caller follows the answer; undefined: the call gets one. */
  readonly follows: LiveRequest | undefined;
  readonly labels: Labels;
  readonly workload: string | undefined;
  /** Milliseconds, monotonic: when binding began. */
  readonly started: number;
}

/** Throws Problem for all parameters that are invalid, and what reading the reserved fields throws. */
export function bind({ clock }: { readonly clock: Clock }, admitted: Admitted): Bound {
  const { call, endpoint: called, principal, content, consumerQuery } = admitted;
  const follows = readLive(content, called);
  const started = clock.monotonic();
  const workload = requestedWorkload(called, content.reservation);
  const redactor = demandedRedactor(called.redaction, { key: principal.redact, header: content.redact });
  const parameters = parametersOf(content, called);
  const current = bindAt({ admitted, parameters }, clock.epoch());
  const endpoint = called.variantOf(current);
  const format = follows === undefined ? content.format : 'json';
  const opened = openPage(endpoint, { content, consumerQuery, bindings: current });
  const isLater = opened?.at !== undefined;
  const bindings = isLater ? { ...bindAt({ admitted, parameters }, opened.at), until: Infinity } : current;
  const labels = labelsOf(endpoint, bindings.values, content.labels);
  call.record.labels = labels;
  const { resultShape: request } = content;
  const shape = shapeOf(format, { request, key: principal.resultShape, endpoint: endpoint.resultShape });
  return {
    admitted,
    endpoint,
    parameters,
    bindings,
    redactor,
    format,
    shape,
    nonFinite: shape && content.nonFinite,
    opened,
    follows,
    labels,
    workload,
    started,
  };
}

/** The values of the same call at another time, in milliseconds since 1970. */
export function bindAt(
  { admitted, parameters }: Pick<Bound, 'admitted' | 'parameters'>,
  time: number,
): Bindings {
  const { endpoint, principal } = admitted;
  return endpoint.binder.bind(parameters, time, principal.locked);
}

/** How a call asks to be followed; undefined: it does not. Throws Problem if the endpoint has no live calls, and for what they do not have. */
function readLive(
  { live, fields }: Pick<CallContent, 'live' | 'fields'>,
  endpoint: Pick<Endpoint, 'name' | 'live' | 'parameters'>,
): LiveRequest | undefined {
  if (live === undefined) return undefined;
  if (endpoint.live === undefined) {
    if (live.isOptional) return undefined;
    if (live.by === 'accept')
      throw new Problem('format.not_acceptable', {
        detail: `${endpoint.name} has no live calls`,
        hint: 'Send another Accept header. Live calls need live: { every: 2 } in the file of the endpoint.',
      });
    if (endpoint.parameters['live'] !== undefined) return undefined;
    throw new Problem('live.unavailable', { detail: `${endpoint.name} has no live calls` });
  }
  for (const name of ['cursor', 'meta'])
    if (fields.has(name) && endpoint.parameters[name] === undefined) {
      const message = 'Live calls do not have it';
      throw new Problem('request.parameters_invalid', { errors: [{ parameter: name, message }] });
    }
  return live;
}
