// The statements of rollups on a cluster. They are not run: the tests have no cluster.
import { expect, test } from 'vitest';
import { readRollupFile } from '../../../src/service/endpoints/rollups/read-rollups.ts';
import { sourceFaults } from '../../../src/service/rollups/source.ts';
import { createStates } from '../../../src/service/rollups/state.ts';
import {
  createStatements,
  dropStatements,
  type RollupPlan,
} from '../../../src/service/rollups/statements.ts';

const FILE = `rollups:
  - name: by_minute
    from: logs.requests
    time: { column: time, every: [1m, 1h] }
    dimensions: [project]
    measures: [uniq(user_id)]
    keep: 90d
`;

function planOf(cluster: string): RollupPlan {
  const [declaration] = readRollupFile('a.rollup.yaml', FILE)?.rollups ?? [];
  if (declaration === undefined) throw new Error('the file is valid');
  const { rollup, keepDays, settleSeconds } = declaration;
  const key = { ofRows: 'project', ofFiner: '`project`', isKey: true };
  return {
    rollup: { ...rollup, version: 'v', timeType: 'DateTime', measures: [], tables: tablesOf() },
    columns: [
      { name: 'time', type: 'DateTime', ofRows: '', ofFiner: '', isKey: true },
      { name: 'project', type: 'String', ...key },
      {
        name: 'count()',
        type: 'SimpleAggregateFunction(sum, UInt64)',
        ofRows: 'count()',
        ofFiner: 'sum(`count()`)',
        isKey: false,
      },
    ],
    sortedBy: ['project', 'time'],
    keepDays,
    settleSeconds,
    isReplicated: true,
    deduplicationWindow: undefined,
    cluster,
  };
}

function tablesOf(): RollupPlan['rollup']['tables'] {
  return [
    { every: 60, database: 'millrace_rollups', table: 'by_minute_v_1m' },
    { every: 3600, database: 'millrace_rollups', table: 'by_minute_v_1h' },
  ];
}

test('on a cluster, tables are replicated, and all statements are sent to its servers', () => {
  const plan = planOf('main');
  expect(
    [createStates(plan), ...createStatements(plan), ...dropStatements(plan.rollup, plan.cluster)].join('\n'),
  ).toMatchSnapshot();
});

test.each([
  ['a replicated table needs the name of its cluster', 'ReplicatedMergeTree', undefined, 1],
  ['', 'ReplicatedMergeTree', 'main', 0],
  ['a distributed table has no rows', 'Distributed', 'main', 1],
  ['', 'ReplicatedReplacingMergeTree', 'main', 1],
  ['parts of a shared table reach replicas at different times', 'SharedMergeTree', 'main', 1],
])('%s %s %s', (_, engine, cluster, faults) => {
  const source = {
    engine,
    uuid: '',
    sortedBy: [],
    ttl: undefined,
    deduplicationWindow: undefined,
    create: '',
  };
  const of = { source: { database: 'logs', table: 'requests' }, time: 'time' };
  expect(sourceFaults(source, of, cluster)).toHaveLength(faults);
});
