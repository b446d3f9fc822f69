// The API key form.
import { useRef, useState } from 'preact/hooks';
import { useExplorer } from '../state/context.ts';
import { Icon } from '../parts/icon.tsx';

export function KeyEntry() {
  const { enter, rejected } = useExplorer();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    const key = text.trim();
    const wrong = faultOf(key);
    setFault(wrong);
    if (wrong === undefined) void enter(key);
    else input.current?.focus();
  };
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
            onInput={(event) => {
              setFault(undefined);
              setText(event.currentTarget.value);
            }}
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

/** An obvious error in the key; undefined if only the service can decide. */
function faultOf(key: string): string | undefined {
  if (key === '') return 'Enter a key.';
  const isSendable = /^[\x21-\x7e]+$/.test(key); // characters allowed in a header field
  return isSendable
    ? undefined
    : 'Invalid key: keys consist of printable ASCII characters without spaces. Copy it again.';
}
