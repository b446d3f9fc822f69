// Stand-in until request/clickhouse/ is there.
import { Problem } from '../core/problem.ts';
import type { AnswerClickHouse } from '../request/clickhouse/call.ts';
import type { Core } from './core.ts';

export const CLICKHOUSE_VERSION = '26.7.2.1';

export function createClickHouse({ path }: Pick<Core, 'path'>): AnswerClickHouse {
  return async (call) => {
    const started = performance.now();
    const principal = await path.admitKey(call.key, call.record);
    void principal;
    const content = await call.read();
    const { database, text, redact, labels, reservation, directives } = content;
    if (database === undefined) throw new Problem('route.endpoint_unknown', { detail: 'no database' });
    const fields = new Map([
      ['sql', [text.replace(/\s+FORMAT\s+\w+\s*$/i, '')]],
      ['dialect', ['clickhouse']],
      ...[...content.parameters].map(([name, value]) => [name, [value]] as [string, string[]]),
    ] as [string, string[]][]);
    const answer = await path.answer({
      ...call,
      endpoint: database,
      read: async () => ({
        fields,
        format: 'ndjson',
        resultShape: undefined,
        redact,
        labels,
        reservation,
        directives,
      }),
    });
    const { body, contentType, truncated, rows, read } = answer;
    return {
      body,
      contentType,
      format: 'JSONEachRow',
      queryId: content.queryId ?? call.requestId,
      summary: {
        readRows: read?.rows ?? 0,
        readBytes: read?.bytes ?? 0,
        resultRows: rows,
        elapsedNs: (performance.now() - started) * 1e6,
      },
      truncated,
      answer,
    };
  };
}
