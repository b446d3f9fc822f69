// Changes to a YAML text that keep everything else in it, comments and order included.
import { isSeq, parseDocument } from 'yaml';

/** Appends an item to the list under a top-level key, adding both when missing. The text has to be valid YAML. */
export function appendToList(text: string, key: string, item: unknown): string {
  const document = parseDocument(text.trim() === '' ? `${key}: []\n` : text);
  const list = document.get(key);
  if (isSeq(list)) {
    list.flow = false;
    list.add(document.createNode(item));
  } else document.set(key, document.createNode([item]));
  return document.toString({ lineWidth: 0 });
}
