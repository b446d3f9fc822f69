// The facets as a sheet from below, where the window has no room for them beside the rows.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Sheet {
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly close: () => void;
}

export function useSheet(): Sheet {
  const [isOpen, setOpen] = useState(false);
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (isOpen !== wasOpen.current)
      document.querySelector<HTMLElement>(isOpen ? '.log-sheet-close' : '.log-sheet-button')?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return { isOpen, toggle: () => setOpen(!isOpen), close: () => setOpen(false) };
}
