// Downloads the rows as a file: repeats the same call in another format.
import { useState } from 'preact/hooks';
import type { Ask } from '../service/client.ts';
import { useExplorer } from '../state/context.ts';
import { Icon } from '../parts/icon.tsx';
import { useSave } from '../parts/save.ts';

const FORMATS = [
  { format: 'csv', label: 'CSV' },
  { format: 'parquet', label: 'Parquet' },
] as const;

interface Props {
  readonly ask: Ask;
  /** The file name has no extension: the format adds it. */
  readonly name: string;
}

export function Downloads({ ask, name }: Props) {
  const { client, key } = useExplorer();
  const save = useSave();
  const [busy, setBusy] = useState<string>();
  const saveRows = async (format: string): Promise<void> => {
    setBusy(format);
    await save(`${name}.${format}`, client.download(key.value ?? '', ask, format));
    setBusy(undefined);
  };
  return (
    <div class="downloads" role="group" aria-label="Download">
      {FORMATS.map(({ format, label }) => (
        <button
          key={format}
          type="button"
          class="button small"
          aria-disabled={busy !== undefined} // disabled, it would lose the focus
          aria-busy={busy === format}
          onClick={() => busy === undefined && void saveRows(format)}
        >
          <Icon name="save" />
          <span class="visually-hidden">Download </span>
          {label}
        </button>
      ))}
    </div>
  );
}
