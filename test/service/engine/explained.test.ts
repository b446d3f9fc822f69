// What the service reads of a server's answers about a statement: its pipeline, and its row in the query log.
import { expect, test } from 'vitest';
import { EngineError, type Engine, type Statement } from '../../../src/service/engine/engine.ts';
import { readPipeline } from '../../../src/service/engine/pipeline.ts';
import { planOf } from '../../../src/service/request/why/plan-of.ts';
import { readQueryLog } from '../../../src/service/engine/query-log.ts';

test('a pipeline has the steps, how deep they are, and their threads', () => {
  const text = `(Expression)
ExpressionTransform × 4
  (Sorting)
  MergingSortedTransform 4 → 1
      (Expression)
      ExpressionTransform × 4
        (ReadFromMergeTree)
        MergeTreeSelect(pool: ReadPool, algorithm: Thread) × 16 0 → 1
    (Aggregating)
    Resize 16 → 4`;
  expect(readPipeline(text)).toEqual([
    { step: 'Expression', depth: 0, threads: 4 },
    { step: 'Sorting', depth: 1, threads: 1 },
    { step: 'Expression', depth: 2, threads: 4 },
    { step: 'ReadFromMergeTree', depth: 3, threads: 16 },
    { step: 'Aggregating', depth: 2, threads: 1 },
  ]);
  expect(readPipeline('(A)\n'.repeat(5000))).toHaveLength(100);
  expect(readPipeline("x (not a step) 'secret' × 3\n")).toEqual([]);
});

/** Rows as a server sends them: integers of 64 bits can be strings. */
const LOGGED = [
  [
    '7c1f6f0e-2b65-4f0e-9d1e-0a5b1f0c9d11',
    '1532',
    '48234496',
    '1929379840',
    '100',
    '96468992',
    0,
    {
      SelectedParts: 41,
      SelectedMarks: '5888',
      OSCPUVirtualTimeMicroseconds: '5400123',
      OSIOWaitMicroseconds: '250000',
      UnknownEvent: 5,
    },
  ],
];
const STEPS = [
  ['7c1f6f0e-2b65-4f0e-9d1e-0a5b1f0c9d11', 'ReadFromMergeTree', '4100', '0', '48234496'],
  ['another', 'ReadFromMergeTree', '1', '0', '1'],
  ['7c1f6f0e-2b65-4f0e-9d1e-0a5b1f0c9d11', 'Aggregating', '1100', '48234496', '812'],
];

/** Somebody waits for the report. */
const OPEN = new AbortController().signal;

/** A server that has answered these statements so; an error has ClickHouse's code. */
function recorded(...replies: readonly (readonly unknown[][] | number)[]) {
  const sent: Statement[] = [];
  const run: Engine['run'] = async (statement, { signal }) => {
    if (signal?.aborted === true) throw new EngineError('aborted', 'x');
    const reply = replies[sent.push(statement) - 1] ?? [];
    if (typeof reply === 'number') throw new EngineError('rejected', 'x', { engineCode: reply });
    const lines = reply.map((row) => `${JSON.stringify(row)}\n`).join('');
    return {
      queueMs: 0,
      chunks: (async function* () {
        yield Buffer.from(lines);
      })(),
    };
  };
  return { engine: { run } as Engine, sent }; // only run is called
}

test('the query log has times, counts and steps of the statements of a request', async () => {
  const { engine, sent } = recorded(LOGGED, STEPS);
  expect(await readQueryLog(engine, "r'1", OPEN)).toEqual({
    statements: [
      {
        ms: 1532,
        readRows: 48_234_496,
        readBytes: 1_929_379_840,
        resultRows: 100,
        memory: 96_468_992,
        error: 0,
        times: { processor: 5400.123, 'waiting for disks': 250 },
        counts: { parts: 41, granules: 5888 },
        steps: [
          { step: 'ReadFromMergeTree', ms: 4100, inputRows: 0, outputRows: 48_234_496 },
          { step: 'Aggregating', ms: 1100, inputRows: 48_234_496, outputRows: 812 },
        ],
      },
    ],
  });
  expect(sent.map(({ parameters }) => parameters)).toEqual([
    { request: "r'1" }, // a value, not part of the statement
    { ids: "['7c1f6f0e-2b65-4f0e-9d1e-0a5b1f0c9d11']" },
  ]);
  for (const { sql, limits } of sent) {
    expect(sql).not.toContain("r'1");
    expect(sql).toMatch(/event_date >= today\(\) - 1[\s\S]+LIMIT \d+$/);
    expect(limits.time).toBeLessThanOrEqual(10);
  }
});

test('a server without the log of steps has the others, and one without the log says why', async () => {
  expect(await readQueryLog(recorded(LOGGED, 60).engine, 'x', OPEN)).toMatchObject({
    statements: [{ steps: [] }],
  });
  expect(await readQueryLog(recorded([]).engine, 'x', OPEN)).toEqual({ statements: [] });
  expect(await readQueryLog(recorded(60).engine, 'x', OPEN)).toEqual({
    reason: 'the server has no system.query_log',
  });
  expect(await readQueryLog(recorded(497).engine, 'x', OPEN)).toMatchObject({
    reason: expect.stringContaining('GRANT SELECT'),
  });
});

test('a report ends with its signal: nothing is planned, and the log is not read', async () => {
  const { engine, sent } = recorded(LOGGED, STEPS);
  const signal = AbortSignal.abort();
  expect(await readQueryLog(engine, 'x', signal)).toEqual({ reason: 'the server takes too long' });
  const limits = { time: 60, memory: 2 ** 20, readRows: 0, resultBytes: 2 ** 20 };
  const statement: Statement = { sql: 'SELECT 1', parameters: {}, limits, origin: 'saved', int64: 'number' };
  expect(await planOf(engine, statement, { spending: undefined, signal })).toBeUndefined();
  expect(sent).toEqual([]);
});
