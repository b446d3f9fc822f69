// The menu of saved views: save what is shown, open, overwrite, rename and delete.
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { Visible } from '../parts/visible.tsx';
import { useExplorer } from '../state/context.ts';
import { FAULTS, MAX_NAME, type SavedView, type SaveFault } from './saved-views.ts';
import { sharedAddress, viewFragment } from './view-actions.ts';

export function ViewsMenu() {
  const { views, address, saveView, rereadViews, tell } = useExplorer();
  const details = useRef<HTMLDetailsElement>(null);
  const close = (): void => details.current?.removeAttribute('open');
  const { saved, endpoint } = address.value;
  const current = views.value.find(({ name }) => name === saved);
  const isChanged = current !== undefined && current.fragment !== viewFragment(address.value);
  return (
    <details
      class="menu views"
      ref={details}
      onToggle={rereadViews}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || details.current?.open !== true) return;
        event.preventDefault(); // it would also cancel a run
        close();
        details.current.querySelector('summary')?.focus();
      }}
      onFocusOut={(event) => {
        if (event.relatedTarget instanceof Node && !details.current?.contains(event.relatedTarget)) close();
      }}
    >
      <summary class="button quiet">
        <Icon name="saved" />
        <span class="wide-words views-name">{current === undefined ? 'Views' : `View: ${current.name}`}</span>
        {isChanged && <span class="tag">changed</span>}
      </summary>
      <div class="menu-body">
        {endpoint !== undefined && <SaveForm />}
        {isChanged && (
          <button
            type="button"
            class="button small"
            onClick={() => {
              const fault = saveView(current.name);
              tell(fault === undefined ? `Saved ${current.name}` : FAULTS[fault]);
            }}
          >
            Overwrite “{current.name}”
          </button>
        )}
        <SharedViews close={close} />
        {views.value.length === 0 ? (
          <p class="note">No saved views. They are stored in this browser.</p>
        ) : (
          <ul class="views-list" aria-label="Saved views">
            {views.value.map((view) => (
              <ViewItem key={view.name} view={view} isCurrent={view === current} close={close} />
            ))}
          </ul>
        )}
      </div>
    </details>
  );
}

/** Lists the views that files of the repository share, for all endpoints that the key may call. */
function SharedViews({ close }: { readonly close: () => void }) {
  const { listing, base } = useExplorer();
  const endpoints = listing.value.kind === 'ready' ? listing.value.endpoints : [];
  const shared = endpoints.flatMap(({ name, shared_views: views = [] }) =>
    views.map((view) => ({ endpoint: name, view })),
  );
  if (shared.length === 0) return null;
  return (
    <ul class="views-list" aria-label="Shared views">
      {shared.map(({ endpoint, view }) => (
        <li class="views-item" key={`${endpoint} ${view.name}`}>
          <a
            class="views-open"
            href={new URL(viewFragment(sharedAddress(endpoint, view)), base).href}
            title={view.description}
            onClick={close}
          >
            <Visible text={view.name} />
            <span class="view-mark">shared</span>
            <span class="view-of mono">{endpoint}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function SaveForm() {
  const { saveView, tell } = useExplorer();
  const save = (name: string): SaveFault | undefined => {
    const fault = saveView(name);
    if (fault === undefined) tell(`Saved ${name.trim()}`);
    return fault;
  };
  return <NameForm id="view-name" label="Save what is shown as" action="Save" start="" onName={save} />;
}

interface NameFormProps {
  readonly id: string;
  readonly label: string;
  readonly action: string;
  readonly start: string;
  readonly onName: (name: string) => SaveFault | undefined;
}

function NameForm({ id, label, action, start, onName }: NameFormProps) {
  const [name, setName] = useState(start);
  const [fault, setFault] = useState<SaveFault>();
  const submit = (event: Event): void => {
    event.preventDefault();
    const wrong = onName(name);
    setFault(wrong);
    if (wrong === undefined) setName('');
  };
  return (
    <form class="views-form" onSubmit={submit} noValidate>
      <label class="field-name" for={id}>
        {label}
      </label>
      <div class="views-field">
        <input
          id={id}
          class="input"
          type="text"
          autocomplete="off"
          maxLength={MAX_NAME}
          value={name}
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-error`}
          onInput={(event) => {
            setFault(undefined);
            setName(event.currentTarget.value);
          }}
        />
        <button type="submit" class="button">
          {action}
        </button>
      </div>
      <p id={`${id}-error`} class="field-error" role={fault === undefined ? undefined : 'alert'}>
        {fault !== undefined && FAULTS[fault]}
      </p>
    </form>
  );
}

interface ItemProps {
  readonly view: SavedView;
  readonly isCurrent: boolean;
  readonly close: () => void;
}

function ViewItem({ view, isCurrent, close }: ItemProps) {
  const { openView, renameView, removeView, tell } = useExplorer();
  const [isRenaming, setRenaming] = useState(false);
  const { name } = view;
  const rename = (next: string): SaveFault | undefined => {
    const fault = renameView(name, next);
    if (fault === undefined) setRenaming(false);
    return fault;
  };
  if (isRenaming)
    return (
      <li>
        <NameForm id="view-rename" label={`Rename “${name}”`} action="Rename" start={name} onName={rename} />
      </li>
    );
  return (
    <li class="views-item">
      <button
        type="button"
        class="views-open"
        aria-current={isCurrent ? 'true' : undefined}
        onClick={() => {
          close();
          openView(view);
        }}
      >
        <Visible text={name} />
      </button>
      <button
        type="button"
        class="button quiet small"
        aria-label={`Rename ${name}`}
        onClick={() => setRenaming(true)}
      >
        Rename
      </button>
      <button
        type="button"
        class="button quiet small"
        aria-label={`Delete ${name}`}
        onClick={() => {
          removeView(name);
          tell(`Deleted ${name}`);
        }}
      >
        Delete
      </button>
    </li>
  );
}
