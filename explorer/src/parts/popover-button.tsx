// Renders a button and the panel that it opens.
import type { ComponentChildren } from 'preact';
import { usePopover } from './use-popover.ts';

interface PopoverButtonProps {
  readonly words: ComponentChildren;
  /** A screen reader announces the panel by this name. */
  readonly label: string;
  /** The panel has this class beside the one that all panels have. */
  readonly panelClass?: string;
  readonly isSmall?: boolean;
  readonly isDisabled?: boolean;
  /** It renders the panel. `close` also returns the focus to the button. */
  readonly children: (close: () => void) => ComponentChildren;
}

export function PopoverButton(props: PopoverButtonProps) {
  const { words, label, panelClass = '', isSmall = false, isDisabled = false, children } = props;
  const { isOpen, ...popover } = usePopover();
  return (
    <div ref={popover.root} onKeyDown={popover.onKeyDown} onFocusOut={popover.onFocusOut}>
      <button
        type="button"
        class={isSmall ? 'button small' : 'button'}
        ref={popover.button}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        disabled={isDisabled}
        onClick={popover.toggle}
      >
        {words}
      </button>
      {isOpen && !isDisabled && (
        <div class={`popover-panel ${panelClass}`} role="dialog" aria-label={label} ref={popover.panel}>
          {children(popover.close)}
        </div>
      )}
    </div>
  );
}
