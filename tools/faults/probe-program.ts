// The program of the probe's thread: asks whether the service is alive at a fixed interval, and remembers the slowest response.
import { readFileSync } from 'node:fs';
import { request, Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { ProbeOptions, ProbeReport } from './probe.ts';

const { url, pid, everyMs } = workerData as ProbeOptions; // what `startProbe` sends
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let report: ProbeReport = { slowestMs: 0, busiestMs: 0, asked: 0, failed: 0 };
const state = { isOver: false };

/** CPU time of the service's main thread, which runs its event loop. Reads Linux's /proc. */
function loopMs(): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
}

/** Whether it answered with 200. */
function ask(): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(url, { agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200));
      response.on('error', () => resolve(false));
    });
    sent.on('error', () => resolve(false)).end();
  });
}

parentPort?.once('message', () => (state.isOver = true));
while (!state.isOver) {
  const [started, loopBefore] = [performance.now(), loopMs()];
  const isAlive = await ask();
  const ms = performance.now() - started;
  report = {
    slowestMs: Math.max(report.slowestMs, ms),
    busiestMs: Math.max(report.busiestMs, loopMs() - loopBefore),
    asked: report.asked + 1,
    failed: report.failed + (isAlive ? 0 : 1),
  };
  await setTimeout(Math.max(0, everyMs - ms));
}
agent.destroy();
parentPort?.postMessage(report, []);
parentPort?.close();
