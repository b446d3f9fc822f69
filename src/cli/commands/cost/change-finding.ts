// Words the finding about a change that is proven.
import { locateFinding } from '../../../service/config/locate-finding.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { spanOf } from '../../../sql/clickhouse/tree/visit.ts';
import { VARIED_GRANULES } from '../../cost/changes/varied-tables.ts';
import type { Saving } from '../../cost/changes/verify.ts';
import { MADE_GRANULE } from '../../cost/scaled-tables.ts';
import type { ChangedExample } from './propose-changes.ts';
import { grouped } from './report.ts';

/** Without a saving, the hint is the change alone. */
export function changeFinding(candidate: ChangedExample, saving: Saving | undefined): Finding {
  const { analysis, document } = candidate.variant;
  const { code, at, reason } = candidate.proposal;
  const place = analysis.inBound(spanOf(analysis.tree, at).start);
  const proof = saving === undefined ? '' : ` (${savingText(saving)})`;
  const hint = `${adviceOf(candidate)}${proof}`;
  return locateFinding(document, { ...place, code, message: asWritten(reason), hint, severity: 'warning' });
}

/** Returns what to write, or to run. */
export function adviceOf({ variant, proposal: { edits, part, rollup } }: ChangedExample): string {
  if (rollup !== undefined) return `Write ${rollup.name}.rollup.yaml: ${rollup.text}`;
  if (part !== undefined) {
    const { table, kind, name, definition } = part;
    return `Run ALTER TABLE ${table} ADD ${kind} ${name} ${definition}, then ALTER TABLE ${table} MATERIALIZE ${kind} ${name}`;
  }
  const { cursor } = variant.analysis.tree;
  const parts = edits.map(({ range, text }) =>
    range.from === range.to
      ? `add${asWritten(text)} after ${asWritten(cursor.text(range.from - 1))}`
      : `write ${asWritten(text)} in place of ${asWritten(cursor.slice(range.from, range.to))}`,
  );
  const all = parts.join(', and ');
  return all.slice(0, 1).toUpperCase() + all.slice(1);
}

const TABLE_ROWS = VARIED_GRANULES * MADE_GRANULE;

function savingText({ before, after }: Saving): string {
  const isOfBytes = after.rows * 2 > before.rows;
  const [from, to, unit] = isOfBytes
    ? [before.bytes, after.bytes, 'bytes']
    : [before.rows, after.rows, 'rows'];
  return `the same result from ${grouped(to)} ${unit} in place of ${grouped(from)}, on made tables of ${grouped(TABLE_ROWS)} rows`;
}

/** Parameters as the file has them. */
function asWritten(text: string): string {
  return text.replaceAll(/\{(\w+):[^{}]*\}/g, '@$1').replaceAll(/\s+/g, ' ');
}
