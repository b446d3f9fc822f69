// The reference for computed responses: the same statements directly on chDB sessions. Prints one line of JSON per round.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Session } from 'chdb';

const [data = '', connections = '4'] = process.argv.slice(2);
const sessions = Array.from({ length: Number(connections) }, () => {
  return new Session(join(data, 'engine'), {
    connectionArgs: [
      '--date_time_output_format=iso',
      '--output_format_json_quote_64bit_integers=0',
      '--use_query_condition_cache=0',
    ],
  });
});

/** Runs `sql` on all sessions for the given time; latencies in milliseconds. */
async function round(sql: string, seconds: number): Promise<number[]> {
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  const work = async (session: (typeof sessions)[number]): Promise<void> => {
    while (performance.now() < end) {
      const started = performance.now();
      (await session.queryAsync(sql, { format: 'JSONEachRow' })).bytes();
      latencies.push(performance.now() - started);
    }
  };
  await Promise.all(sessions.map(work));
  return latencies;
}

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { sql, seconds } = JSON.parse(line) as { sql: string; seconds: number }; // written by rows/
  const latencies = (await round(sql, seconds)).toSorted((a, b) => a - b);
  const p50 = latencies[Math.floor(latencies.length / 2)] ?? 0;
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? 0;
  process.stdout.write(`${JSON.stringify({ rate: latencies.length / seconds, p50, p99 })}\n`);
}
