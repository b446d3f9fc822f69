// Global keyboard shortcuts: run, cancel, search, palette, the list of keys (frame/keys-dialog.tsx).
import { IS_MAC } from './parts/modifier.ts';
import type { Explorer } from './state/explorer.ts';

export function listenToKeys(document: Document, explorer: Explorer): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void explorer.start({ isFresh: event.shiftKey });
    } else if (isPaletteKey(event) && explorer.key.value !== undefined) {
      event.preventDefault();
      explorer.palette.isOpen.value = true;
    } else if (event.key === 'Escape' && explorer.run.value.kind === 'running') {
      explorer.cancel();
    } else if (event.key === '/' && !isTyping(event)) {
      event.preventDefault();
      document.querySelector<HTMLInputElement>('#search')?.focus();
    } else if (event.key === '?' && !isTyping(event) && explorer.key.value !== undefined) {
      event.preventDefault();
      explorer.isShowingKeys.value = true;
    }
  });
}

/** On a Mac, Ctrl K deletes to the end of the line. */
function isPaletteKey({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
  const isModified = IS_MAC ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return key.toLowerCase() === 'k' && isModified && !shiftKey && !altKey;
}

function isTyping(event: Event): boolean {
  const [target] = event.composedPath(); // the editor has its own shadow tree
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
