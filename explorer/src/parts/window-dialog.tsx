// A dialog over the page, which Escape, its button and a click beside it close.
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called when it is closed; the focus is where it was. */
  readonly onClose: () => void;
}

export function WindowDialog({ title, children, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = (): void => {
    dialog.current?.close(); // returns the focus
    onClose();
  };
  return (
    <dialog
      class="window"
      ref={dialog}
      aria-labelledby={id}
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <div class="window-body">
        <div class="keys-head">
          <h2 id={id}>{title}</h2>
          <button type="button" class="button small" onClick={close}>
            Close <kbd>Esc</kbd>
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
