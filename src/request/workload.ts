// Reserved capacity: the ClickHouse workload that a statement runs in (https://clickhouse.com/docs/operations/workload-scheduling).
import type { Endpoint } from '../catalog/endpoint.ts';
import { nearest } from '../core/nearest.ts';
import { Problem } from '../core/problem.ts';

/**
 * The workload that a caller asks for; undefined when none is asked for, or the endpoint heeds no such wish. Throws
 * `reservation.unknown` for a name that the endpoint's file does not list.
 */
export function askedWorkload(
  { name, reservation }: Endpoint,
  asked: string | undefined,
): string | undefined {
  if (!reservation.enabled || asked === undefined || asked === '') return undefined;
  if (reservation.workloads.includes(asked)) return asked;
  const guess = nearest(asked.slice(0, 64), reservation.workloads);
  throw new Problem('reservation.unknown', {
    detail: `${name} has no reservation of this name${guess === undefined ? '' : `; did you mean "${guess}"?`}`,
    hint: `Ask for one of ${reservation.workloads.join(', ')}, or leave the header out.`,
  });
}
