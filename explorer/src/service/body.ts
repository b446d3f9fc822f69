// Reads a response while it arrives: its rows are parsed in pieces, so that the whole text is never in memory beside them.
import { parseJson, type Json, type Row } from './json.ts';

export interface Body {
  readonly rows: readonly Row[];
  /** The members of the envelope besides the rows. */
  readonly envelope: Envelope;
  /** Bytes of the text. */
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
  const begin = (): void => {
    if (text.length < HEAD.length) return;
    phase = text.startsWith(HEAD) ? 'rows' : 'other';
    if (phase === 'rows') text = text.slice(HEAD.length);
  };
  return {
    take: (more) => {
      text += more;
      if (phase === 'head') begin();
      if (phase !== 'rows') return;
      const { end, isDone } = scan(text);
      if (end > 0) {
        const list = text.slice(0, end).replace(/^[\s,]+/, '');
        for (const row of parseJson(`[${list}]`) as readonly Row[]) onRow(row); // the service's rows
        text = text.slice(end);
      }
      if (isDone) phase = 'rest';
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

/** Goes on with a text whose beginning, the rows that were whole, has been cut off since the last call. */
function createScan(): (text: string) => { readonly end: number; readonly isDone: boolean } {
  let at = 0;
  let depth = 0;
  let isString = false;
  return (text) => {
    let end = 0;
    let isDone = false;
    for (; at < text.length && !isDone; at++) {
      const code = text.charCodeAt(at);
      if (isString) {
        if (code === BACKSLASH) at++;
        else isString = code !== QUOTE;
      } else if (code === QUOTE) isString = true;
      else if (code === OPEN) depth++;
      else if (code === CLOSE && --depth === 0) end = at + 1;
      else isDone = code === LAST && depth === 0;
    }
    at -= end;
    return { end, isDone };
  };
}
