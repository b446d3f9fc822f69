// Whether the embedded engine has all of its data.
import type { Engine } from '../engine/engine.ts';
import { describeCause } from '../observe/describe.ts';
import type { PreflightFinding } from './finding.ts';

/** A finding for each damaged table, or one that none is; none for an engine without a data folder. */
export function checkData({ damage }: Pick<Engine, 'damage'>): readonly PreflightFinding[] {
  if (damage === undefined) return [];
  const { broken, missing, unchecked } = damage();
  const findings: readonly PreflightFinding[] = [
    ...broken.map(({ table, parts, names, reasons }): PreflightFinding => {
      const more = parts > names.length ? ', …' : '';
      const text = `${table}: parts that could not be read: ${parts} (${reasons.join(', ')}): ${names.join(', ')}${more}`;
      return { layer: 'data', name: text, outcome: 'damaged', fix: BROKEN_FIX };
    }),
    ...missing.map((table): PreflightFinding => {
      return {
        layer: 'data',
        name: `${table}: it has data, but no definition`,
        outcome: 'damaged',
        fix: MISSING_FIX,
      };
    }),
    ...(unchecked === undefined ? [] : [notChecked(unchecked)]),
  ];
  return findings.length > 0 ? findings : [{ layer: 'data', name: 'no damaged parts', outcome: 'held' }];
}

const BROKEN_FIX = `Restore the data folder from a backup, or load the rows again and remove the parts: put
ALTER TABLE … DROP DETACHED PART '…' SETTINGS allow_drop_detached = 1 into a folder, and run millrace seed --seeds FOLDER`;

const MISSING_FIX = `Restore the data folder from a backup, or put ATTACH TABLE … UUID '…' (columns) ENGINE = … into a folder, and run
millrace seed --seeds FOLDER: the UUID is the name of the folder of its data`;

function notChecked(cause: unknown): PreflightFinding {
  return { layer: 'data', name: `not checked: ${describeCause(cause)}`, outcome: 'damaged' };
}
