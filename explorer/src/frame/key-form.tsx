// Entering another key where the one that was used is rejected, beside what it has shown.
import { useId, useRef, useState } from 'preact/hooks';
import { useExplorer } from '../state/context.ts';

interface KeyField {
  readonly text: string;
  /** An obvious error in the key. */
  readonly fault: string | undefined;
  readonly input: { current: HTMLInputElement | null };
  readonly onText: (text: string) => void;
  readonly submit: (event: Event) => void;
}

export function useKeyField(): KeyField {
  const { enter } = useExplorer();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  return {
    text,
    fault,
    input,
    onText: (next) => {
      setFault(undefined);
      setText(next);
    },
    submit: (event) => {
      event.preventDefault();
      const key = text.trim();
      const wrong = faultOf(key);
      setFault(wrong);
      if (wrong === undefined) void enter(key);
      else input.current?.focus();
    },
  };
}

/** An obvious error in the key; undefined if only the service can decide. */
function faultOf(key: string): string | undefined {
  if (key === '') return 'Enter a key.';
  const isSendable = /^[\x21-\x7e]+$/.test(key); // characters allowed in a header field
  return isSendable
    ? undefined
    : 'Invalid key: keys consist of printable ASCII characters without spaces. Copy it again.';
}

export function KeyForm() {
  const id = useId();
  const { text, fault, input, onText, submit } = useKeyField();
  return (
    <form class="key-form" onSubmit={submit} noValidate>
      <label class="visually-hidden" for={id}>
        Another key
      </label>
      <input
        id={id}
        ref={input}
        type="password"
        class="input mono"
        placeholder="Another key"
        autocomplete="off"
        spellcheck={false}
        value={text}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-fault`}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      <button type="submit" class="button">
        Open
      </button>
      <span id={`${id}-fault`} class="field-error" role="alert">
        {fault}
      </span>
    </form>
  );
}
