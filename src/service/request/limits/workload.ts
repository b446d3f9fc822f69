// Reservations: the ClickHouse workload that a statement runs in
// (https://clickhouse.com/docs/operations/workload-scheduling).
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { nearest, withSuggestion } from '../../../sql/base/nearest.ts';
import { Problem } from '../../../sql/base/problem.ts';

/**
 * The workload a caller requests; undefined if none is requested or the endpoint ignores reservations. Throws
 * `workload.unknown` for a name that the endpoint's file does not list.
 */
export function requestedWorkload(
  { name, reservation }: Endpoint,
  requested: string | undefined,
): string | undefined {
  if (!reservation.enabled || requested === undefined || requested === '') return undefined;
  if (reservation.workloads.includes(requested)) return requested;
  const guess = nearest(requested.slice(0, 64), reservation.workloads);
  throw new Problem('workload.unknown', {
    detail: withSuggestion(`${name} has no reservation of this name`, guess),
    hint: `Request one of ${reservation.workloads.join(', ')}, or omit the header.`,
  });
}
