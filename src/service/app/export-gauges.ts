// Gauges of exports.
import type { Exports } from '../exports/exports.ts';
import type { Gauge } from '../observe/metrics.ts';

export function exportGauges({ size }: Pick<Exports, 'size'>): readonly Gauge[] {
  return [
    {
      name: 'millrace_exports',
      help: 'Exports by state: waiting for a place, or running.',
      label: 'state',
      read: () => {
        const { waiting, running } = size();
        return [
          ['waiting', waiting],
          ['running', running],
        ];
      },
    },
    {
      name: 'millrace_exports_bytes',
      help: 'Disk space of exports in the data folder, in bytes.',
      read: () => size().bytes,
    },
  ];
}
