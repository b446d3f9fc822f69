// Renders JSON as text, such as that of a response; only visible lines are in the DOM.
import { useMemo, useRef } from 'preact/hooks';
import type { Answer } from '../service/answer.ts';
import { printJson, type Json } from '../service/json.ts';
import { CopyButton } from '../parts/copy.tsx';
import { escapedJson } from '../parts/hidden-characters.ts';
import { useScroll } from './use-scroll.ts';
import { visibleRows } from './window.ts';

const LINE = 20;
const TOKEN = /("(?:[^"\\]|\\.)*"?)(\s*:)?|\b(true|false|null)\b|(-?\d[\d.eE+-]*)/g;
/** Characters; longer lines would take seconds to lay out. */
const MAX_LINE = 4000;

export function AnswerJson({ answer }: { readonly answer: Answer }) {
  const value = useMemo(() => ({ result: answer.rows, ...answer.rest }), [answer]);
  return <JsonView value={value} />;
}

export function JsonView({ value }: { readonly value: Json }) {
  const laidOut = useMemo(() => escapedJson(printJson(value, '  ')), [value]);
  const lines = useMemo(() => laidOut.split('\n'), [laidOut]);
  const scroller = useRef<HTMLDivElement>(null);
  const { first, end, offset, total } = visibleRows(lines.length, useScroll(scroller), (line) => line * LINE);
  return (
    <div class="json">
      <div class="json-copy">
        <CopyButton text={() => laidOut} what="the JSON" label="Copy all" />
      </div>
      <div class="lines mono" ref={scroller} tabIndex={0} role="region" aria-label="The response as JSON">
        <div style={{ height: `${total}px` }}>
          <div style={{ transform: `translateY(${offset}px)` }}>
            {lines.slice(first, end).map((line, i) => (
              <Line key={first + i} number={first + i + 1} line={line} />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

function Line({ number, line }: { readonly number: number; readonly line: string }) {
  const rest = line.length - MAX_LINE;
  return (
    <div class="line">
      <span class="line-number" aria-hidden="true">
        {number}
      </span>
      <code>{coloredJson(line.slice(0, MAX_LINE))}</code>
      {rest > 0 && <span class="line-rest">… {rest.toLocaleString('en')} more characters</span>}
    </div>
  );
}

/** Formatted JSON, or a line of it, with syntax highlighting. */
export function coloredJson(line: string) {
  const parts = [];
  let at = 0;
  for (const match of line.matchAll(TOKEN)) {
    const [whole, , colon, word] = match;
    const kind =
      colon !== undefined ? 'name' : word !== undefined ? 'word' : whole.startsWith('"') ? 'text' : 'number';
    parts.push(
      line.slice(at, match.index),
      <span key={match.index} class={`json-${kind}`}>
        {whole}
      </span>,
    );
    at = match.index + whole.length;
  }
  return [...parts, line.slice(at)];
}
