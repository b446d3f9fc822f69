// Reads a response while it arrives: its rows are parsed in pieces, so that the whole text is never in memory beside them.
import { parseJson, type Json, type Row } from './json.ts';

export interface Body {
  readonly rows: readonly Row[];
  /** It has the members of the envelope besides the rows. */
  readonly envelope: Envelope;
  /** The unit is bytes of the text. */
  readonly size: number;
}

export type Envelope = { readonly [name: string]: Json };

/** Rejects with SyntaxError for invalid JSON. */
export async function readBody({ body }: Pick<Response, 'body'>): Promise<Body> {
  const rows: Row[] = [];
  const reader = createRowReader((row) => rows.push(row));
  const decoder = new TextDecoder();
  const stream = body?.getReader();
  let size = 0;
  for (let part = await stream?.read(); part?.done === false; part = await stream?.read()) {
    size += part.value.length;
    reader.take(decoder.decode(part.value, { stream: true }));
  }
  return { rows, envelope: reader.end(), size };
}

export interface RowReader {
  readonly take: (text: string) => void;
  /** Returns the envelope. Throws SyntaxError if the text is not whole. */
  readonly end: () => Envelope;
}

/** The service writes the rows first, and each is an object. */
const HEAD = '{"result":[';
const [QUOTE, BACKSLASH, OPEN, CLOSE, LAST] = [34, 92, 123, 125, 93];

export function createRowReader(onRow: (row: Row) => void): RowReader {
  let text = ''; // what is not parsed yet
  let phase: 'head' | 'rows' | 'rest' | 'other' = 'head';
  const scan = createScan();
  const takeRows = (more: string): void => {
    const { end, isDone } = scan(more);
    if (isDone) phase = 'rest';
    if (end === 0) return void (text += more);
    const rest = text.replace(/^[\s,]+/, '');
    const from = rest === '' ? more.indexOf('{') : 0;
    for (const row of parseJson(`[${rest}${more.slice(from, end)}]`) as readonly Row[]) onRow(row); // the service's rows
    text = more.slice(end);
  };
  return {
    take: (more) => {
      if (phase === 'rows') return takeRows(more);
      text += more;
      if (phase !== 'head' || text.length < HEAD.length) return;
      phase = text.startsWith(HEAD) ? 'rows' : 'other';
      if (phase === 'other') return;
      const rows = text.slice(HEAD.length);
      text = '';
      takeRows(rows);
    },
    end: () => {
      const isWhole = phase === 'head' || phase === 'other';
      const document = parseJson(isWhole ? text : `${HEAD}${text}`);
      const { result, ...envelope } = document as { readonly result: readonly Row[] } & Envelope; // the service's envelope
      for (const row of result) onRow(row);
      return envelope;
    },
  };
}

/** Finds where the last whole row in a part of the text ends, and whether the list ends in it. */
function createScan(): (part: string) => { readonly end: number; readonly isDone: boolean } {
  let depth = 0;
  let [isString, isEscaped] = [false, false];
  return (part) => {
    let end = 0;
    let isDone = false;
    for (let at = 0; at < part.length && !isDone; at++) {
      const code = part.charCodeAt(at);
      if (isEscaped) isEscaped = false;
      else if (isString) {
        isEscaped = code === BACKSLASH;
        isString = code !== QUOTE;
      } else if (code === QUOTE) isString = true;
      else if (code === OPEN) depth++;
      else if (code === CLOSE && --depth === 0) end = at + 1;
      else isDone = code === LAST && depth === 0;
    }
    return { end, isDone };
  };
}
