// A process that runs named measurements on request: one JSON line out for each JSON line in.
import { createInterface } from 'node:readline';

/** Handles `{"measurement": name, "seconds": n}` lines until the input ends. */
export async function runMeasurements(measurements: Readonly<Record<string, () => unknown>>): Promise<void> {
  process.stdout.write('ready\n');
  for await (const line of createInterface({ input: process.stdin })) {
    const { measurement, seconds } = JSON.parse(line) as { measurement: string; seconds: number }; // written by rows/
    const latencies: number[] = [];
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      const started = performance.now();
      await measurements[measurement]?.();
      latencies.push(performance.now() - started);
    }
    latencies.sort((a, b) => a - b);
    const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
    const figure = { rate: latencies.length / seconds, p50: at(0.5), p99: at(0.99) };
    process.stdout.write(`${JSON.stringify(figure)}\n`);
  }
}
