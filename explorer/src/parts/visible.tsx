// Shows text with its hidden characters written out.
import { Fragment } from 'preact';
import { codeOf, HIDDEN } from './hidden-characters.ts';

/** Text with its hidden characters as marks. */
export function Visible({ text }: { readonly text: string }) {
  const parts = text.split(HIDDEN);
  if (parts.length === 1) return <>{text}</>;
  const hidden = text.match(HIDDEN) ?? [];
  return (
    <>
      {parts.map((part, i) => (
        <Fragment key={i}>
          {part}
          {hidden[i] !== undefined && <span class="hidden-character">{codeOf(hidden[i])}</span>}
        </Fragment>
      ))}
    </>
  );
}
