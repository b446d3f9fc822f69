// A button and the panel that it opens.
import type { ComponentChildren } from 'preact';
import { usePopover } from './use-popover.ts';

interface PopoverButtonProps {
  /** The contents of the button. */
  readonly words: ComponentChildren;
  /** The name of the panel for a screen reader. */
  readonly label: string;
  /** The class of the panel, beside that of all of them. */
  readonly panelClass?: string;
  readonly isSmall?: boolean;
  readonly isDisabled?: boolean;
  /** The contents of the panel. `close` also returns the focus to the button. */
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
