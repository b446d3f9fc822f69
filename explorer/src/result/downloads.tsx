// Downloads the rows as a file: repeats the same call in another format.
import { useState } from 'preact/hooks';
import { useExplorer } from '../state/context.ts';
import type { Run } from '../state/model.ts';
import { Icon } from '../parts/icon.tsx';
import { useSave } from '../parts/save.ts';

const FORMATS = [
  { format: 'csv', label: 'CSV' },
  { format: 'parquet', label: 'Parquet' },
] as const;

export function Downloads({ run }: { readonly run: Extract<Run, { kind: 'done' }> }) {
  const { client, key } = useExplorer();
  const save = useSave();
  const [busy, setBusy] = useState<string>();
  const saveRows = async (format: string): Promise<void> => {
    setBusy(format);
    await save(`${run.ask.endpoint}.${format}`, client.download(key.value ?? '', run.ask, format));
    setBusy(undefined);
  };
  return (
    <div class="downloads" role="group" aria-label="Download">
      {FORMATS.map(({ format, label }) => (
        <button
          key={format}
          type="button"
          class="button small"
          disabled={busy !== undefined}
          aria-busy={busy === format}
          onClick={() => void saveRows(format)}
        >
          <Icon name="save" />
          <span class="visually-hidden">Download </span>
          {label}
        </button>
      ))}
    </div>
  );
}
