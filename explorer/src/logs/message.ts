// A message as a row shows it: on one line or several, and the fields of a JSON message as text.
import { isNested, parseJson, preview, type Json } from '../service/json.ts';

export interface Message {
  /** It is the message itself, or the text field of a JSON message. */
  readonly text: string;
  /** The other fields of a JSON message: `name=value`. */
  readonly fields: string;
}

/** Characters of a message in a row: the panel has all of them. */
const MAX_TEXT = 2000;
const MAX_FIELD = 200;
const MAX_FIELDS = 40;
/** The field of a JSON message that is its text, the likeliest first. */
const TEXTS = ['message', 'msg', 'event_message', 'event', 'error', 'text', 'body'];

export function messageOf(value: Json | undefined): Message {
  const object = objectOf(value);
  if (object === undefined) return { text: shortened(preview(value, MAX_TEXT + 1)), fields: '' };
  const main = TEXTS.find((name) => typeof object[name] === 'string' && object[name] !== '');
  const others = Object.entries(object).filter(
    ([name, each]) => name !== main && each !== null && each !== '',
  );
  const fields = others.slice(0, MAX_FIELDS).map(([name, each]) => `${name}=${preview(each, MAX_FIELD)}`);
  const more = others.length > MAX_FIELDS ? ' …' : '';
  const text = main === undefined ? '' : preview(object[main], MAX_TEXT + 1);
  return { text: shortened(text), fields: shortened(fields.join('  ') + more) };
}

/** The object that a message is, or that it has as JSON text. */
function objectOf(value: Json | undefined): { readonly [name: string]: Json } | undefined {
  const parsed = typeof value === 'string' ? parsedOf(value) : value;
  // A nested value that is no list has names.
  return isNested(parsed) && !Array.isArray(parsed)
    ? (parsed as { readonly [name: string]: Json })
    : undefined;
}

/** A value that has JSON text, parsed; undefined if it is other text. */
export function parsedOf(text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text) || !/[}\]]\s*$/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
