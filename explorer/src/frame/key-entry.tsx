// The API key form. The key stays in this tab and is sent only to this service.
import { useRef, useState } from 'preact/hooks';
import { useExplorer } from '../state/context.ts';
import { Icon } from '../parts/icon.tsx';

export function KeyEntry() {
  const { enter, refused } = useExplorer();
  const [text, setText] = useState('');
  const [complaint, setComplaint] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    const key = text.trim();
    const wrong = complaintOf(key);
    setComplaint(wrong);
    if (wrong === undefined) void enter(key);
    else input.current?.focus();
  };
  const problem = refused.value;
  const said = complaint ?? (problem && `${problem.title}. ${problem.hint}`);
  return (
    <main class="key-page">
      <form class="key-card" onSubmit={submit} noValidate>
        <h1>Look at your data</h1>
        <p class="lead">
          Find an endpoint, fill in its parameters, see rows and charts, and copy the call into your code.
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
            aria-invalid={said !== undefined}
            aria-describedby="key-said key-note"
            onInput={(event) => {
              setComplaint(undefined);
              setText(event.currentTarget.value);
            }}
          />
        </label>
        <p id="key-said" class="field-error" role="alert">
          {said !== undefined && <Icon name="warn" />}
          {said}
        </p>
        <button type="submit" class="button primary wide">
          Open
        </button>
        <p id="key-note" class="note">
          The key is kept in this tab until you close it, is never part of a link, and goes nowhere but to
          this service. In development, <code>npm start</code> prints one.
        </p>
      </form>
    </main>
  );
}

/** An obvious error in the key; undefined if only the service can decide. */
function complaintOf(key: string): string | undefined {
  if (key === '') return 'Paste a key first: without one there is nothing to show.';
  const isSendable = /^[\x21-\x7e]+$/.test(key); // characters allowed in a header field
  return isSendable
    ? undefined
    : 'This is no key: keys have no blanks and no letters with accents. Copy it again, whole.';
}
