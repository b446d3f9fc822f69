// Types behind `::` and in CAST.
import type { Scan } from './scan.ts';
import { TYPES } from './words.ts';

/** `Name` or `Name(…)`; in the brackets further types, names of fields, numbers and strings. */
export function scanType(scan: Scan): void {
  const word = scan.word();
  if (word === undefined || !TYPES.has(word)) {
    const message = `Expected a type such as String; ${scan.source()} is not taken`;
    scan.refuse({ code: 'sandbox.syntax_refused', message });
  }
  scan.skip();
  if (scan.kind() !== '(') return;
  scan.skip();
  scan.nest(() => scanTypeArguments(scan));
  scan.expectKind(')', 'the end of the type');
}

function scanTypeArguments(scan: Scan): void {
  for (;;) {
    scanTypeArgument(scan);
    if (!scan.takeKind(',')) return;
  }
}

/** A type, `field Type`, a number, a string, or `'name' = number` of an Enum. */
function scanTypeArgument(scan: Scan): void {
  if (scan.takeKind('number')) return;
  if (scan.takeKind('string')) {
    if (!scan.takeKind('=')) return;
    scan.takeKind('-');
    scan.expectKind('number', 'a number');
    return;
  }
  const isField = scan.name() !== undefined && (scan.kind(1) === 'word' || scan.kind() === 'quoted');
  if (isField) scan.skip();
  scanType(scan);
}
