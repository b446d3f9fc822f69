// A text put together from parts of several documents, each of which knows where it was written.
import type { Location, Path, YamlDocument } from '../../config/yaml-document.ts';

/** Where a piece was written: at an offset (UTF-16 code units) in the string at `path`, or at the key of that path. */
export interface Origin {
  readonly document: YamlDocument;
  readonly path: Path;
  readonly offset: number | 'key' | 'value';
}

/** Part of a text; every character of one with an offset is a character of that string. */
export interface Piece {
  readonly text: string;
  readonly origin: Origin;
}

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('');
}

/** The characters from `start` up to, but excluding, `end`. */
export function slicePieces(pieces: readonly Piece[], start: number, end: number): readonly Piece[] {
  const sliced: Piece[] = [];
  let at = 0;
  for (const { text, origin } of pieces) {
    const [from, to] = [Math.max(start - at, 0), Math.min(end - at, text.length)];
    if (from < to) sliced.push({ text: text.slice(from, to), origin: moved(origin, from) });
    at += text.length;
  }
  return sliced;
}

function moved(origin: Origin, by: number): Origin {
  return typeof origin.offset === 'number' ? { ...origin, offset: origin.offset + by } : origin;
}

/** The location of the character at `offset`; that of the last one if it is beyond the end. */
export function locatePiece(
  pieces: readonly Piece[],
  offset: number,
): (Location & { file: string }) | undefined {
  const origin = originAt(pieces, offset);
  return origin && locationOf(origin);
}

/** The document that the character at `offset` comes from. */
export function documentAt(pieces: readonly Piece[], offset: number): YamlDocument | undefined {
  return originAt(pieces, offset)?.document;
}

function originAt(pieces: readonly Piece[], offset: number): Origin | undefined {
  let at = 0;
  for (const [index, { text, origin }] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    if (offset < at + text.length || isLast) return moved(origin, offset - at);
    at += text.length;
  }
  return undefined;
}

function locationOf({ document, path, offset }: Origin): Location & { file: string } {
  const location =
    offset === 'key'
      ? document.locateKey(path)
      : offset === 'value'
        ? document.locate(path)
        : document.locateInside(path, offset);
  return { file: document.file, ...location };
}
