// A field for LQL: suggestions below it, and what is wrong underlined in it.
import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { Visible } from '../parts/visible.tsx';
import type { LqlWords, Suggestion } from '../query/lql-completion.ts';
import { marksOf, settledMarks } from './lql-marks.ts';
import { Marked, Suggestions } from './lql-suggestions.tsx';
import { useSuggestions, type SuggestionList } from './use-suggestions.ts';
import type { LqlFinding } from '../../../src/sql/lql/finding.ts';

interface FieldProps {
  readonly id: string;
  /** This filter is applied; the text that is typed may differ from it. */
  readonly value: string;
  readonly words: LqlWords;
  readonly isInvalid: boolean;
  /** The element that says why it is invalid. */
  readonly describedBy: string | undefined;
  readonly onApply: (text: string) => void;
}

export function LqlField({ id, value, words, isInvalid, describedBy, onApply }: FieldProps) {
  const own = useLqlText({ value, words, onApply });
  const { text, marks, suggestions, field } = own;
  const [listId, noteId] = [useId(), useId()];
  const note = isInvalid && text === value ? undefined : marks[0];
  const isOpen = suggestions.options.length > 0;
  return (
    <>
      <div class="log-filter-field">
        <Icon name="search" />
        <input
          id={id}
          ref={field}
          class="input mono"
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          placeholder={PLACEHOLDER}
          value={text}
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={isOpen ? listId : undefined}
          aria-activedescendant={suggestions.active < 0 ? undefined : `${listId}-${suggestions.active}`}
          aria-invalid={isInvalid || marks.length > 0}
          aria-describedby={describedBy ?? (note && noteId)}
          onInput={({ currentTarget }) => own.type(currentTarget)}
          onKeyDown={(event) => {
            if (event.isComposing || !isTaken(event, own)) return;
            event.preventDefault();
            event.stopPropagation();
          }}
          onSelect={({ currentTarget }) => own.setCursor(currentTarget.selectionStart ?? undefined)}
          onBlur={own.leave}
        />
        <Marked text={text} marks={marks} field={field} />
        {isOpen && <Suggestions id={listId} {...suggestions} take={own.take} />}
      </div>
      {note !== undefined && <Note id={noteId} {...note} />}
    </>
  );
}

interface LqlText {
  readonly text: string;
  readonly marks: readonly LqlFinding[];
  readonly suggestions: SuggestionList;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly setCursor: (cursor: number | undefined) => void;
  readonly type: (input: HTMLInputElement) => void;
  readonly take: (option: Suggestion) => void;
  readonly apply: () => void;
  readonly leave: () => void;
}

/** The text as it is typed, until it is applied by Enter or by leaving the field. */
function useLqlText({ value, words, onApply }: Pick<FieldProps, 'value' | 'words' | 'onApply'>): LqlText {
  const [text, setText] = useState(value);
  const [cursor, setCursor] = useState<number>();
  const [placed, setPlaced] = useState<{ readonly cursor: number }>();
  const field = useRef<HTMLInputElement>(null);
  const suggestions = useSuggestions(words);
  const found = useMemo(() => marksOf(text, words.table), [text, words.table]);
  useEffect(() => setText(value), [value]);
  // The cursor can be placed only after the field has the text.
  useLayoutEffect(() => {
    if (placed !== undefined) field.current?.setSelectionRange(placed.cursor, placed.cursor);
  }, [placed]);
  const apply = (): void => {
    suggestions.close();
    onApply(text.trim());
  };
  return {
    text,
    marks: settledMarks(found, cursor),
    suggestions,
    field,
    setCursor,
    type: ({ value: next, selectionStart }) => {
      setText(next);
      setCursor(selectionStart ?? undefined);
      suggestions.open(next, selectionStart ?? 0);
    },
    take: (option) => {
      const next = suggestions.accept(text, option);
      setText(next.text);
      setCursor(next.cursor);
      suggestions.open(next.text, next.cursor);
      setPlaced(next);
    },
    apply,
    leave: () => {
      setCursor(undefined);
      if (text.trim() === value) suggestions.close();
      else apply();
    },
  };
}

const PLACEHOLDER = 'error -timeout m.status:(500|503)   (LQL; Enter applies it)';

function Note({ id, message, hint }: Pick<LqlFinding, 'message' | 'hint'> & { readonly id: string }) {
  return (
    <p class="field-error" id={id} role="status">
      <Visible text={hint === undefined ? message : `${message}: ${hint}`} />
    </p>
  );
}

/** Returns false if the key did nothing here: without a list, arrow keys and Escape belong to the page. */
function isTaken(
  { key, ctrlKey, metaKey, currentTarget }: KeyboardEvent & { readonly currentTarget: HTMLInputElement },
  { suggestions, text, take, apply }: LqlText,
): boolean {
  const { options, active } = suggestions;
  const chosen = options[active];
  const cursor = currentTarget.selectionStart ?? text.length;
  if (key === ' ' && ctrlKey) suggestions.open(text, cursor, true);
  else if (key === 'ArrowDown' && options.length === 0) suggestions.open(text, cursor, true);
  else if (key === 'ArrowDown' || (key === 'ArrowUp' && options.length > 0))
    suggestions.move(key === 'ArrowDown' ? 1 : -1);
  else if (key === 'Escape' && options.length > 0) suggestions.close();
  else if ((key === 'Enter' || key === 'Tab') && chosen !== undefined) take(chosen);
  else if (key === 'Enter' && !ctrlKey && !metaKey) apply();
  else return false;
  return true;
}
