// The response as formatted JSON; only visible lines are in the DOM.
import { useMemo, useRef } from 'preact/hooks';
import { parseJson, printJson } from '../service/json.ts';
import { CopyButton } from '../parts/copy.tsx';
import { useScroll } from './use-scroll.ts';
import { visibleRows } from './window.ts';

const HEIGHTS = { row: 20, detail: 0 };
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d[\d.eE+-]*)/g;

export function JsonView({ text }: { readonly text: string }) {
  const laidOut = useMemo(() => printJson(parseJson(text), '  '), [text]);
  const lines = useMemo(() => laidOut.split('\n'), [laidOut]);
  const scroller = useRef<HTMLDivElement>(null);
  const { first, end, offset, total } = visibleRows(lines.length, useScroll(scroller), [], HEIGHTS);
  return (
    <div class="json">
      <div class="json-copy">
        <CopyButton text={() => laidOut} what="the JSON" label="Copy all" />
      </div>
      <div class="lines mono" ref={scroller} tabIndex={0} role="region" aria-label="The answer as JSON">
        <div style={{ height: `${total}px` }}>
          <div style={{ transform: `translateY(${offset}px)` }}>
            {lines.slice(first, end).map((line, i) => (
              <div class="line" key={first + i}>
                <span class="line-number" aria-hidden="true">
                  {first + i + 1}
                </span>
                <code>{colored(line)}</code>
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

/** A line of formatted JSON with syntax highlighting. */
function colored(line: string) {
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
