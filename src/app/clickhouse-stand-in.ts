// Stand-in until request/clickhouse/ is there.
import { Problem } from '../core/problem.ts';
import { engineFormatNamed } from '../format/clickhouse-formats.ts';
import type { AnswerClickHouse } from '../request/clickhouse/call.ts';
import type { Core } from './core.ts';

export const CLICKHOUSE_VERSION = '26.7.2.1';

export function createClickHouse({ path }: Pick<Core, 'path'>): AnswerClickHouse {
  return async (call) => {
    await path.admitKey(call.key, call.record);
    const content = await call.read();
    const { database, text, redact, labels, reservation, directives } = content;
    if (database === undefined) throw new Problem('route.endpoint_unknown', { detail: 'no database' });
    const [, sql = text, clause] = /^(.*?)\s+FORMAT\s+(\w+)\s*;?\s*$/is.exec(text) ?? [];
    const name = clause ?? content.defaultFormat ?? 'TabSeparated';
    const known = engineFormatNamed(name);
    if (known === undefined) throw new Problem('format.not_acceptable');
    const { name: engine, contentType } = known;
    const fields = new Map<string, string[]>([
      ['sql', [sql]],
      ['dialect', ['clickhouse']],
      ...[...content.parameters].map(([name, value]): [string, string[]] => [name, [value]]),
    ]);
    const format = { engine, settings: {} };
    const answer = await path.answer({
      ...call,
      endpoint: database,
      read: async () => ({
        fields,
        format,
        resultShape: undefined,
        redact,
        labels,
        reservation,
        directives,
      }),
    });
    const { body, truncated, summary } = answer;
    const queryId = content.queryId ?? call.requestId;
    return { body, contentType, format: engine, queryId, summary, truncated, answer };
  };
}
