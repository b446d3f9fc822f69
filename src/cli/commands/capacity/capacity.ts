// `millrace capacity`: prints the statements that create the workloads used in endpoint files.
import { jsonText } from '../../../service/observe/visible-text.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { readEndpoints } from '../../kit/endpoint-files.ts';
import type { Terminal } from '../../kit/terminal.ts';

export interface CapacityOptions {
  /** Folder of endpoint files. */
  readonly folder: string;
  /** The parent of the workloads; ClickHouse allows only one workload without a parent. */
  readonly parent: string;
  readonly format: 'sql' | 'json';
}

interface Workload {
  readonly name: string;
  /** Relative to the weights of its siblings. */
  readonly weight: number;
  readonly endpoints: readonly string[];
}

/** Workloads that callers request get this multiple of the weight of warming and of queries without a workload. */
const RESERVED_WEIGHT = 4;

/** Prints the statements, for an operator to review, adapt and run. */
export async function capacity(options: CapacityOptions, terminal: Terminal): Promise<void> {
  const { all: endpoints } = await readEndpoints(options.folder, 'any');
  const workloads = workloadsOf(endpoints);
  if (options.format === 'json') return terminal.write(jsonText({ workloads }));
  if (workloads.length === 0)
    return terminal.note(`No endpoint file in ${options.folder} uses a workload: nothing to create`);
  for (const line of statements(workloads, options.parent)) terminal.print(line);
}

function workloadsOf(endpoints: readonly Endpoint[]): readonly Workload[] {
  const byName = new Map<string, { weight: number; endpoints: string[] }>();
  const add = (name: string, weight: number, endpoint: string): void => {
    const known = byName.get(name) ?? { weight, endpoints: [] };
    byName.set(name, {
      weight: Math.max(known.weight, weight),
      endpoints: [...new Set([...known.endpoints, endpoint])],
    });
  };
  for (const { name, reservation } of endpoints) {
    if (reservation.enabled)
      for (const workload of reservation.workloads) add(workload, RESERVED_WEIGHT, name);
    if (reservation.warming !== undefined) add(reservation.warming, 1, name);
  }
  return [...byName]
    .map(([name, { weight, endpoints: users }]) => ({ name, weight, endpoints: users.toSorted() }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function statements(workloads: readonly Workload[], parent: string): readonly string[] {
  return [
    '-- Workloads used in the endpoint files: https://clickhouse.com/docs/operations/workload-scheduling',
    '-- Run as a user with the privilege to create workloads; adapt weights and limits to your machine.',
    'CREATE RESOURCE IF NOT EXISTS cpu (MASTER THREAD, WORKER THREAD);',
    `CREATE WORKLOAD IF NOT EXISTS ${parent};`,
    ...workloads
      .filter(({ name }) => name !== parent)
      .flatMap(({ name, weight, endpoints }) => [
        `-- used by ${endpoints.join(', ')}`,
        `CREATE WORKLOAD IF NOT EXISTS ${name} IN ${parent} SETTINGS weight = ${weight};`,
      ]),
  ];
}
