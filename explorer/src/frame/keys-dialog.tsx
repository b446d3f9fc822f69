// The keys of the page, by where they apply: opened with `?`.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { MODIFIER } from '../parts/modifier.ts';
import { useExplorer } from '../state/context.ts';

export function Keys() {
  const { isShowingKeys, key } = useExplorer();
  return isShowingKeys.value && key.value !== undefined ? <KeysDialog /> : null;
}

/** Each of the keys, or combinations of keys. */
type Shortcut = readonly [keys: readonly string[], action: string];

const SECTIONS: readonly (readonly [string, readonly Shortcut[]])[] = [
  [
    'Page',
    [
      [[`${MODIFIER} Enter`], 'run the request, or load the logs again'],
      [[`${MODIFIER} Shift Enter`], 'run it without the cache'],
      [['Escape'], 'cancel the request'],
      [[`${MODIFIER} K`], 'commands: endpoints, saved views, actions'],
      [['/'], 'search the endpoints'],
      [['?'], 'these keys'],
    ],
  ],
  [
    'Table',
    [
      [['↑', '↓', '←', '→'], 'choose a cell'],
      [['Page Up', 'Page Down', 'Home', 'End'], 'move by a page, to the first or the last row'],
      [['C'], 'copy the cell'],
      [['Shift C'], 'copy the row'],
    ],
  ],
  [
    'Log rows',
    [
      [['↑', '↓'], 'choose a row'],
      [['Page Up', 'Page Down', 'Home', 'End'], 'move by a page, to the newest or the oldest row'],
      [['Enter'], 'open the row'],
      [['C'], 'copy the row'],
    ],
  ],
  [
    'One log row',
    [
      [['↑', '↓'], 'the newer or the older row'],
      [['Escape'], 'close it'],
    ],
  ],
  [
    'Histogram',
    [
      [['←', '→'], 'choose a bar'],
      [['Shift ←', 'Shift →'], 'extend the choice'],
      [['Enter'], 'zoom to what is chosen'],
      [['Escape'], 'choose nothing'],
    ],
  ],
];

function KeysDialog() {
  const { isShowingKeys } = useExplorer();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = (): void => {
    dialog.current?.close(); // returns the focus
    isShowingKeys.value = false;
  };
  return (
    <dialog
      class="palette keys"
      ref={dialog}
      aria-labelledby="keys-title"
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <div class="keys-body">
        <div class="keys-head">
          <h2 id="keys-title">Keys</h2>
          <button type="button" class="button small" onClick={close}>
            Close <kbd>Esc</kbd>
          </button>
        </div>
        {SECTIONS.map(([name, shortcuts]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {shortcuts.map(([keys, action]) => (
                <div key={action}>
                  <dt>
                    {keys.map((each) => (
                      <kbd key={each}>{each}</kbd>
                    ))}
                  </dt>
                  <dd>{action}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
