// Makes a file of all rows where a response has only the first: an export of the service, which can take a while.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Ask } from '../service/client.ts';
import type { ExportProgress } from '../service/exports.ts';
import type { ExportPolicy } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { Icon } from '../parts/icon.tsx';
import { useSave } from '../parts/save.ts';
import { counted } from '../parts/words.ts';

interface Props {
  readonly ask: Ask;
  readonly policy: ExportPolicy;
}

const LABELS: Readonly<Record<string, string>> = {
  csv: 'CSV',
  parquet: 'Parquet',
  ndjson: 'NDJSON',
  arrow: 'Arrow',
};

export function ExportButton({ ask, policy }: Props) {
  const { client, key, tell } = useExplorer();
  const save = useSave();
  const [progress, setProgress] = useState<ExportProgress>();
  const control = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const start = async (format: string): Promise<void> => {
    const { signal } = (control.current = new AbortController());
    setProgress({ state: 'waiting', rows: 0, bytes: 0 });
    const coming = client.export(key.value ?? '', ask, format, { signal, onProgress: setProgress });
    await save(`${ask.endpoint}.${format}`, coming).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      tell('The export was cancelled');
    });
    setProgress(undefined);
  };
  if (progress !== undefined)
    return (
      <div class="downloads" role="group" aria-label="Export of all rows">
        <span class="note" role="status">
          {progressWords(progress)}
        </span>
        <button type="button" class="button small" onClick={() => control.current?.abort()}>
          Cancel the export
        </button>
      </div>
    );
  return (
    <div class="downloads" role="group" aria-label="Export of all rows">
      <span class="note">All rows:</span>
      {policy.formats.map((format) => (
        <button key={format} type="button" class="button small" onClick={() => void start(format)}>
          <Icon name="save" />
          <span class="visually-hidden">Export all rows as </span>
          {LABELS[format] ?? format}
        </button>
      ))}
    </div>
  );
}

function progressWords({ state, rows, bytes }: ExportProgress): string {
  if (state === 'finished') return `Downloading ${counted(rows, 'row')}`;
  if (state === 'waiting') return 'Waiting for its turn';
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  return rows === 0 ? `Writing: ${size}` : `Writing: ${counted(rows, 'row')}, ${size}`; // Parquet has no count before its end
}
