// Reports what the columns of a query or table show about the keys of pages and live calls, the age of data, watches, and log views.
import { locateAll } from '../../../service/config/locate-finding.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { Column } from '../../../service/engine/engine.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import type { Part } from './failure-place.ts';
import { checkFreshColumn } from '../../../service/endpoints/checks/fresh.ts';
import { checkLiveKey } from '../../../service/endpoints/checks/live.ts';
import { checkPageKeys } from '../../../service/endpoints/checks/pages.ts';
import { checkLogViews } from '../../../service/endpoints/checks/views.ts';
import { checkWatchColumns } from '../../../service/endpoints/checks/watches.ts';

/** Returns the findings about the keys of pages and live calls, the age of data and watches, and about the log views of a table. */
export function columnFindings(
  { document, analysis: { file } }: InspectedFile,
  { table }: Part,
  columns: readonly Column[],
): readonly Finding[] {
  const findings =
    table === undefined
      ? [
          ...checkPageKeys(file, columns),
          ...checkLiveKey(file, columns),
          ...checkFreshColumn(file, columns),
          ...checkWatchColumns(file, columns),
        ]
      : checkLogViews(file, { name: table, columns });
  return locateAll(document, findings);
}
