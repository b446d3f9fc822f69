// Byte edits, collected from left to right and applied in one pass.

export interface Edits {
  /** Replaces bytes `start` to `end` (exclusive) with `text`; `start` must not be before the end of the previous edit. */
  replace(start: number, end: number, text: Uint8Array): void;
  /** The bytes with all edits applied; the same array if there are none. */
  apply(bytes: Uint8Array): Uint8Array;
}

/** Collects edits; `apply` copies the unchanged ranges between them. */
export function createEdits(): Edits {
  const ranges: number[] = [];
  const texts: Uint8Array[] = [];
  let growth = 0;
  return {
    replace(start, end, text) {
      ranges.push(start, end);
      texts.push(text);
      growth += text.length - (end - start);
    },
    apply(bytes) {
      if (texts.length === 0) return bytes;
      const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      const target = Buffer.allocUnsafe(bytes.length + growth);
      let read = 0;
      let written = 0;
      for (const [i, text] of texts.entries()) {
        written += source.copy(target, written, read, ranges[2 * i]);
        for (let at = 0; at < text.length; at++) target[written++] = text[at] ?? 0; // too short to be worth a call
        read = ranges[2 * i + 1] ?? read;
      }
      source.copy(target, written, read);
      return target;
    },
  };
}
