// Splits rows in JSONEachRow into members without parsing values, so that numbers keep all their digits.

/** One member of a JSON object. */
export interface Member {
  readonly name: string;
  /** The raw JSON text of the value. */
  readonly value: string;
}

/** The lines of rows in JSONEachRow: one JSON object each. */
export function linesOf(lines: Uint8Array): readonly string[] {
  return Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString().split('\n').slice(0, -1);
}

/** The members of one JSON object on one line, in order. */
export function membersOf(text: string): readonly Member[] {
  const members: Member[] = [];
  let at = text.indexOf('{') + 1;
  while (text[at] === '"') {
    const nameEnd = stringEnd(text, at);
    const valueEnd = endOfValue(text, nameEnd + 1);
    members.push({
      name: String(JSON.parse(text.slice(at, nameEnd))),
      value: text.slice(nameEnd + 1, valueEnd),
    });
    at = valueEnd + 1;
  }
  return members;
}

/** The names of the members of one JSON object on one line. */
export function namesOf(text: string): readonly string[] {
  return membersOf(text).map(({ name }) => name);
}

/** The raw JSON text of the elements of an array on one line. */
export function elementsOf(text: string): readonly string[] {
  const elements: string[] = [];
  let at = text.indexOf('[') + 1;
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    elements.push(text.slice(at, end));
    at = text[end] === ',' ? end + 1 : end;
  }
  return elements;
}

/** A value as plain text: a string's content, '' for null, and everything else as its JSON text. */
export function plainText(value: string): string {
  if (value === 'null') return '';
  return value.startsWith('"') ? String(JSON.parse(value)) : value;
}

/** The offset after the closing quote of the string at `start`. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** Returns whether the character is preceded by an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

/** The offset of the comma, brace or bracket after the value at `start`. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') at = stringEnd(text, at) - 1;
    else if (sign === '{' || sign === '[') depth++;
    else if (depth === 0 && (sign === ',' || sign === '}' || sign === ']')) return at;
    else if (sign === '}' || sign === ']') depth--;
  }
  return text.length;
}
