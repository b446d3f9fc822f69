// The API key form.
import { useExplorer } from '../state/context.ts';
import { Icon } from '../parts/icon.tsx';
import { useKeyField } from './key-form.tsx';

export function KeyEntry() {
  const { rejected } = useExplorer();
  const { text, fault, input, onText, submit } = useKeyField();
  const problem = rejected.value;
  const message = fault ?? (problem && `${problem.title}. ${problem.hint}`);
  return (
    <main class="key-page">
      <form class="key-card" onSubmit={submit} noValidate>
        <h1>Explore your endpoints</h1>
        <p class="lead">
          Find an endpoint, fill in its parameters, see rows and charts, and copy the request into your code.
        </p>
        <label class="field" for="key">
          <span class="field-name">Key</span>
          <input
            id="key"
            ref={input}
            type="password"
            class="input mono"
            autocomplete="off"
            spellcheck={false}
            autofocus
            value={text}
            aria-invalid={message !== undefined}
            aria-describedby="key-error key-note"
            onInput={({ currentTarget }) => onText(currentTarget.value)}
          />
        </label>
        <p id="key-error" class="field-error" role="alert">
          {message !== undefined && <Icon name="warn" />}
          {message}
        </p>
        <button type="submit" class="button primary wide">
          Open
        </button>
        <p id="key-note" class="note">
          The key is stored until you close the tab, shared with other tabs of this page, and sent only to
          this service. In development, <code>npm start</code> prints a link that contains one.
        </p>
      </form>
    </main>
  );
}
