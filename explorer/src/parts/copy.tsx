// Copies text to the clipboard and confirms it.
import { useExplorer } from '../state/context.ts';
import { Icon } from './icon.tsx';

/** Returns a function that copies `text` and announces it, e.g. `Copied the row`. */
export function useCopy(): (text: string, what: string) => void {
  const { tell } = useExplorer();
  return (text, what) => {
    // Undefined outside secure contexts, such as plain http from another host.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    const done =
      clipboard === undefined ? Promise.reject(new Error('no clipboard')) : clipboard.writeText(text);
    void done.then(
      () => tell(`Copied ${what}`),
      () =>
        tell(
          copyByHand(text)
            ? `Copied ${what}`
            : 'The browser lets nothing be copied here: select the text instead',
        ),
    );
  };
}

function copyByHand(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  return isDone;
}

export function CopyButton({
  text,
  what,
  label,
}: {
  readonly text: () => string;
  readonly what: string;
  readonly label: string;
}) {
  const copy = useCopy();
  return (
    <button type="button" class="button small" onClick={() => copy(text(), what)}>
      <Icon name="copy" />
      {label}
    </button>
  );
}
