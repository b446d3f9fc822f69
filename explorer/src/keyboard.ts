// Global keyboard shortcuts: run, cancel, search.
import type { Explorer } from './state/explorer.ts';

export function listenToKeys(document: Document, explorer: Explorer): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void explorer.start({ isFresh: event.shiftKey });
    } else if (event.key === 'Escape' && explorer.run.value.kind === 'running') {
      explorer.cancel();
    } else if (event.key === '/' && !isTyping(event)) {
      event.preventDefault();
      document.querySelector<HTMLInputElement>('#search')?.focus();
    }
  });
}

function isTyping(event: Event): boolean {
  const [target] = event.composedPath(); // the editor has its own shadow tree
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
