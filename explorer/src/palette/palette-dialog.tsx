// The palette: endpoints, saved views and actions, found by a few letters (ARIA combobox with a list box).
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useCopy } from '../parts/copy.tsx';
import { Visible } from '../parts/visible.tsx';
import { useExplorer } from '../state/context.ts';
import { MAX_SHOWN, rank, type PaletteAction } from './actions.ts';
import { pageActions } from './page-actions.ts';

export function Palette() {
  const { palette, key } = useExplorer();
  return palette.isOpen.value && key.value !== undefined ? <PaletteDialog /> : null;
}

const PAGE = 8;

function PaletteDialog() {
  const explorer = useExplorer();
  const { palette } = explorer;
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  // By its id: parts of the page add actions while the palette is open.
  const [active, setActive] = useState<string>();
  const actions = [...[...palette.parts.value.values()].flat(), ...pageActions(explorer, useCopy())];
  const known = actions.map(({ id }) => id).join('\n');
  const { shown, count } = useMemo(() => rank(actions, query), [known, query]);
  const current = positionOf(active, shown);
  // At once: keys that follow are typed into it.
  useLayoutEffect(() => {
    explorer.rereadViews();
    dialog.current?.showModal();
  }, []);
  useOptionInView(current, query);
  const close = (): void => {
    dialog.current?.close(); // returns the focus
    palette.isOpen.value = false;
  };
  const pick = (action: PaletteAction | undefined): void => {
    if (action === undefined) return;
    close();
    action.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const moved = positionAfter(event.key, current, shown.length);
    if (event.key === 'Enter' && !event.isComposing) pick(shown[current]);
    else if (moved !== undefined) setActive(shown[moved]?.id);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      class="palette"
      ref={dialog}
      aria-label="Commands"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <div class="palette-body" onKeyDown={onKeyDown}>
        <QueryField
          query={query}
          active={current < 0 ? undefined : optionId(current)}
          onQuery={(next) => {
            setQuery(next);
            setActive(undefined);
          }}
        />
        <Options {...{ shown, current, pick }} />
        <p class="palette-count note" role="status">
          {countWords(count)}
        </p>
      </div>
    </dialog>
  );
}

/** The first, if none is chosen or the choice is gone; below 0 if there are none. */
function positionOf(id: string | undefined, shown: readonly PaletteAction[]): number {
  const position = shown.findIndex((action) => action.id === id);
  return Math.min(Math.max(0, position), shown.length - 1);
}

function useOptionInView(current: number, query: string): void {
  useEffect(() => {
    document.getElementById(optionId(current))?.scrollIntoView({ block: 'nearest' });
  }, [current, query]);
}

interface QueryFieldProps {
  readonly query: string;
  /** The id of the option that Enter chooses. */
  readonly active: string | undefined;
  readonly onQuery: (query: string) => void;
}

function QueryField({ query, active, onQuery }: QueryFieldProps) {
  return (
    <input
      class="input"
      type="text"
      role="combobox"
      aria-label="Search endpoints, saved views and actions"
      aria-expanded="true"
      aria-controls="palette-list"
      aria-autocomplete="list"
      aria-activedescendant={active}
      placeholder="Search endpoints, saved views and actions"
      autocomplete="off"
      spellcheck={false}
      autofocus
      value={query}
      onInput={(event) => onQuery(event.currentTarget.value)}
    />
  );
}

interface OptionsProps {
  readonly shown: readonly PaletteAction[];
  readonly current: number;
  readonly pick: (action: PaletteAction) => void;
}

function Options({ shown, current, pick }: OptionsProps) {
  return (
    <ul id="palette-list" class="palette-list" role="listbox" aria-label="Matches">
      {shown.map((action, i) => (
        <li
          key={action.id}
          id={optionId(i)}
          class="palette-item"
          role="option"
          aria-selected={i === current}
          onClick={() => pick(action)}
        >
          <span class="palette-label">
            <Visible text={action.label} />
          </span>
          {action.hint !== undefined && (
            <span class="palette-hint">
              <Visible text={action.hint} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function positionAfter(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % count;
    case 'ArrowUp':
      return (at - 1 + count) % count;
    case 'PageDown':
      return Math.min(at + PAGE, count - 1);
    case 'PageUp':
      return Math.max(at - PAGE, 0);
    default:
      return undefined;
  }
}

function countWords(count: number): string {
  if (count === 0) return 'Nothing matches';
  if (count > MAX_SHOWN)
    return `${MAX_SHOWN} of ${count.toLocaleString('en')}: type more to narrow them down`;
  return count === 1 ? '1 match' : `${count} matches`;
}

function optionId(position: number): string {
  return `palette-option-${position}`;
}
