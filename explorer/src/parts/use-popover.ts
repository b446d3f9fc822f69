// A panel that opens below its button, in the window rather than in what scrolls around it.
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Popover {
  readonly isOpen: boolean;
  /** Around the button and the panel. */
  readonly root: RefObject<HTMLDivElement | null>;
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly panel: RefObject<HTMLDivElement | null>;
  readonly toggle: () => void;
  /** Closes the panel and returns the focus to the button. */
  readonly close: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocusOut: (event: FocusEvent) => void;
}

const MARGIN = 8;

export function usePopover(): Popover {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isOpen && button.current !== null && panel.current !== null) place(button.current, panel.current);
  });
  // Before the next key: an effect after it would take the focus into a panel that Escape has closed.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const chosen = panel.current?.querySelector<HTMLElement>('[aria-pressed=true]');
    (chosen ?? panel.current?.querySelector<HTMLElement>('button'))?.focus();
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = (event: Event): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return {
    isOpen,
    root,
    button,
    panel,
    toggle: () => setOpen(!isOpen),
    close,
    onKeyDown: (event) => {
      if (!isOpen || event.key !== 'Escape') return;
      event.preventDefault(); // it would also cancel a run
      event.stopPropagation();
      close();
    },
    onFocusOut: ({ relatedTarget }) => {
      if (relatedTarget instanceof Node && !root.current?.contains(relatedTarget)) setOpen(false);
    },
  };
}

function place(button: HTMLElement, panel: HTMLElement): void {
  const { left, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const [right, floor] = [innerWidth - width - MARGIN, innerHeight - height - MARGIN];
  panel.style.left = `${Math.max(MARGIN, Math.min(left, right))}px`;
  panel.style.top = `${Math.max(MARGIN, Math.min(bottom + 6, floor))}px`;
}
