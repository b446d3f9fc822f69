// The rows as a file: asked for anew in another format, with the same call.
import { useState } from 'preact/hooks';
import { CallFailure } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';
import type { Run } from '../state/explorer.ts';
import { Icon } from '../parts/icon.tsx';

const FORMATS = [
  { format: 'csv', label: 'CSV' },
  { format: 'parquet', label: 'Parquet' },
] as const;

export function Downloads({ run }: { readonly run: Extract<Run, { kind: 'done' }> }) {
  const { client, key, tell } = useExplorer();
  const [busy, setBusy] = useState<string>();
  const save = async (format: string): Promise<void> => {
    setBusy(format);
    try {
      const blob = await client.download(key.value ?? '', run.ask, format);
      saveAs(blob, `${run.ask.endpoint}.${format}`);
      tell(`Saved ${run.ask.endpoint}.${format}`);
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      tell(`${error.problem.title}: ${error.problem.hint}`);
    } finally {
      setBusy(undefined);
    }
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
          onClick={() => void save(format)}
        >
          <Icon name="save" />
          <span class="visually-hidden">Download </span>
          {label}
        </button>
      ))}
    </div>
  );
}

function saveAs(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
