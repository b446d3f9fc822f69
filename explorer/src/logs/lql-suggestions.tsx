// Renders the list of suggestions below a field for LQL, and its text again behind it, with mistakes underlined.
import { useEffect, useRef } from 'preact/hooks';
import type { LqlFinding } from '../../../src/sql/lql/finding.ts';
import { Visible } from '../parts/visible.tsx';
import type { Suggestion } from '../query/lql-completion.ts';
import type { SuggestionList } from './use-suggestions.ts';

interface ListProps extends Pick<SuggestionList, 'options' | 'active'> {
  readonly id: string;
  readonly take: (option: Suggestion) => void;
}

export function Suggestions({ id, options, active, take }: ListProps) {
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  return (
    <ul class="lql-suggestions" id={id} role="listbox" aria-label="Suggestions">
      {options.map((option, index) => (
        <li
          key={`${option.kind} ${option.label}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          data-kind={option.kind}
          // The field keeps the focus, so that typing goes on.
          onPointerDown={(event) => {
            event.preventDefault();
            take(option);
          }}
        >
          <span class="mono">
            <Visible text={option.label} />
          </span>
          {option.detail !== undefined && <span class="suggestion-detail">{option.detail}</span>}
        </li>
      ))}
    </ul>
  );
}

interface MarkedProps {
  readonly text: string;
  readonly marks: readonly LqlFinding[];
  readonly field: { readonly current: HTMLInputElement | null };
}

/** The same text behind the field, of which only the underlines are seen. */
export function Marked({ text, marks, field }: MarkedProps) {
  const marked = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = field;
    const follow = (): void => {
      if (marked.current !== null && current !== null) marked.current.scrollLeft = current.scrollLeft;
    };
    follow();
    current?.addEventListener('scroll', follow);
    return () => current?.removeEventListener('scroll', follow);
  }, [text]);
  if (marks.length === 0) return null;
  let at = 0;
  return (
    <div class="lql-marks input mono" ref={marked} aria-hidden="true">
      {marks.map(({ start, end }) => {
        const from = Math.max(at, Math.min(start, text.length - 1));
        const to = Math.max(from + 1, end);
        const before = text.slice(at, from);
        at = to;
        return (
          <>
            {before}
            <u>{text.slice(from, to)}</u>
          </>
        );
      })}
      {text.slice(at)}
    </div>
  );
}
