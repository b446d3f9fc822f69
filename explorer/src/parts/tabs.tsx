// A tab list; arrow keys move between tabs, following the ARIA tabs pattern. A press chooses.
import { useRef } from 'preact/hooks';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly isOff?: boolean;
}

export interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly current: Name;
  /** The id of the controlled tab panel. */
  readonly controls: string;
  readonly onChoose: (name: Name) => void;
}

export function Tabs<Name extends string>({ label, tabs, current, controls, onChoose }: TabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const open = tabs.filter(({ isOff }) => isOff !== true);
    const at = open.findIndex(({ name }) => name === current);
    const next = open[(at + step + open.length) % open.length];
    if (next === undefined) return;
    onChoose(next.name);
    list.current?.querySelector<HTMLElement>(`[data-name="${next.name}"]`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {tabs.map(({ name, label, isOff }) => (
        <button
          key={name}
          type="button"
          role="tab"
          class="tab"
          data-name={name}
          aria-selected={name === current}
          aria-controls={controls}
          tabIndex={name === current ? 0 : -1}
          disabled={isOff}
          // When pressed: what loads may move it before the release. A click without a press is one of a key or a screen reader.
          onMouseDown={(event) => {
            if (event.button === 0 && !event.ctrlKey) onChoose(name);
          }}
          onClick={(event) => {
            if (event.detail === 0) onChoose(name);
          }}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
