// Routes of health probes. They come every few seconds from each load balancer, and what they find has events and metrics of
// its own: metrics and traces of requests leave them out, and the log has them at `debug`.

const PROBES: ReadonlySet<string> = new Set([
  '/health/live',
  '/health/ready',
  '/clickhouse/ping',
  '/clickhouse/replicas_status',
]);

export function isProbe(route: string): boolean {
  return PROBES.has(route);
}
