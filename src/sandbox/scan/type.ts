// Types written as syntax: after `::`, in CAST, in JSON paths.
import type { Scan } from './scan.ts';
import { readType } from '../type-name.ts';

/** Reads an allowed type. */
export function scanType(scan: Scan): void {
  const reading = readType(scan);
  if (reading.kind === 'fault') {
    scan.reject({ code: 'sandbox.type_denied', message: reading.message }, reading.at);
  }
  scan.skip(reading.tokens);
}
