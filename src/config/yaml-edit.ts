// Changes to a YAML text that keep everything else in it, comments and order included. The texts have to be valid YAML.
import { isSeq, parseDocument, stringify } from 'yaml';

/** Appends an item to the list under a top-level key, adding both when missing. */
export function appendToList(text: string, key: string, item: unknown): string {
  const document = parseDocument(text.trim() === '' ? `${key}: []\n` : text);
  const list = document.get(key);
  if (isSeq(list)) {
    list.flow = false;
    list.add(document.createNode(item));
  } else document.set(key, document.createNode([item]));
  return document.toString({ lineWidth: 0 });
}

/** Removes what stands at a path; a comment above it goes with it. */
export function removeAt(text: string, path: readonly (string | number)[]): string {
  const document = parseDocument(text);
  document.deleteIn(path);
  return document.toString({ lineWidth: 0 });
}

/** Puts a value at a path, or takes it away where it is undefined. */
export function setAt(text: string, path: readonly (string | number)[], value: unknown): string {
  const document = parseDocument(text);
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, document.createNode(value));
  return document.toString({ lineWidth: 0 });
}

/** Plain data as YAML: texts of several lines as blocks. */
export function writeYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, blockQuote: 'literal' });
}
