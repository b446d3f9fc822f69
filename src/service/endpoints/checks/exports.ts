// Checks of exports.
import type { EndpointFile } from '../../config/generated/endpoint.ts';
import type { ExportFormat, ExportPolicy } from '../endpoint.ts';
import type { FileChecks } from './check.ts';

const EXPORT_FORMATS: readonly ExportFormat[] = ['parquet', 'csv', 'ndjson', 'arrow'];

/** Fields of requests for exports, beside those of calls. */
const EXPORT_FIELDS: ReadonlySet<string> = new Set(['export_to']);

const SECONDS: Readonly<Record<string, number>> = { min: 60, h: 3600, d: 86_400 };

/** The schema has checked it. */
function keepSeconds(text: string): number {
  const [, count = '', unit = ''] = /^(\d+) ?([a-z]+)$/.exec(text) ?? [];
  return Number(count) * (SECONDS[unit] ?? 1);
}

export function exportPolicy({ export: file }: Pick<EndpointFile, 'export'>): ExportPolicy | undefined {
  if (file === undefined) return undefined;
  const { formats = EXPORT_FORMATS, to = ['download'], keep = '24h', per_key: perKey = 2 } = file;
  return Object.freeze({
    maxRows: file.max_rows,
    formats,
    places: to,
    keep: keepSeconds(keep),
    perKey,
  });
}

export const EXPORT_CHECKS: FileChecks = {
  'export.reserved_name': {
    title: 'A parameter has the name of a field of exports',
    help: 'export_to is reserved on endpoints with exports.',
    *check({ file }) {
      if (file.export === undefined) return;
      for (const name of Object.keys(file.parameters ?? {}).filter((each) => EXPORT_FIELDS.has(each)))
        yield {
          path: ['parameters', name],
          onKey: true,
          message: `${name} is reserved on endpoints with exports`,
        };
    },
  },
  'export.few_rows': {
    title: 'Exports have no more rows than a response',
    help: 'export.max_rows is the most rows of an export, and max_rows that of a response. Raise export.max_rows, or leave out export.',
    severity: 'warning',
    *check({ file }) {
      const rows = file.max_rows ?? 1000;
      if (file.export !== undefined && file.export.max_rows <= rows)
        yield {
          path: ['export', 'max_rows'],
          message: `a response has up to ${rows} rows, and an export no more than ${file.export.max_rows}`,
        };
    },
  },
};
