// Edits YAML while preserving everything else, including comments and order. Inputs must be valid YAML.
import { isSeq, parseDocument, stringify } from 'yaml';

/** Appends an item to the list under a top-level key; creates both if missing. */
export function appendToList(text: string, key: string, item: unknown): string {
  const document = parseDocument(text.trim() === '' ? `${key}: []\n` : text);
  const list = document.get(key);
  if (isSeq(list)) {
    list.flow = false;
    list.add(document.createNode(item));
  } else document.set(key, document.createNode([item]));
  return document.toString({ lineWidth: 0 });
}

/** Removes the node at a path, with any comment above it. */
export function removeAt(text: string, path: readonly (string | number)[]): string {
  const document = parseDocument(text);
  document.deleteIn(path);
  return document.toString({ lineWidth: 0 });
}

/** Sets the value at a path, or removes it if undefined. */
export function setAt(text: string, path: readonly (string | number)[], value: unknown): string {
  const document = parseDocument(text);
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, document.createNode(value));
  return document.toString({ lineWidth: 0 });
}

/** Plain data as YAML; multi-line strings become block scalars. */
export function writeYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, blockQuote: 'literal' });
}
