// The tools of a log view: its table, time range, following, columns, and the calls behind it.
import { Icon } from '../parts/icon.tsx';
import { viewFragment } from '../saved-views/view-actions.ts';
import type { Table } from '../service/listing.ts';
import { ALL_LOGS } from '../state/address.ts';
import { useExplorer } from '../state/context.ts';
import type { TimeRange } from '../time-range/range.ts';
import { TimeRangeControl } from '../time-range/time-range-control.tsx';
import { CallMenu } from './call-menu.tsx';
import { ColumnMenu } from './column-menu.tsx';
import { isFollowing } from './follower.ts';
import { LogExport } from './log-export.tsx';
import { rangeText, type Logs } from './use-logs.ts';

interface LogBarProps {
  readonly logs: Logs;
  readonly table: Table;
}

export function LogBar({ logs, table }: LogBarProps) {
  const { zone, setZone, address, base } = useExplorer();
  const { view, views, range, store, change, columns, setColumns, question } = logs;
  const following = store.following.value;
  const follows = isFollowing(following);
  const canFollow = question.isOpen === true;
  const linkOf = (other: TimeRange): string =>
    new URL(
      viewFragment({
        ...address.value,
        logs: { ...(address.value.logs ?? ALL_LOGS), range: rangeText(other) },
      }),
      base,
    ).href;
  return (
    <div class="log-bar">
      {views.length > 1 && (
        <label>
          <span class="visually-hidden">Table</span>
          <select
            class="input mono"
            value={view.table}
            onChange={({ currentTarget }) =>
              change({ ...ALL_LOGS, range: rangeText(range), table: currentTarget.value })
            }
          >
            {views.map(({ table: name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <TimeRangeControl
        range={range}
        onChange={(next) => change({ range: rangeText(next) })}
        zone={zone.value}
        onZone={setZone}
        linkOf={linkOf}
      />
      <button
        type="button"
        class="button log-follow"
        aria-pressed={follows}
        data-following={following.kind}
        disabled={!canFollow && !follows}
        title={canFollow ? 'Show new rows as they arrive' : 'Choose a time range that ends now'}
        onClick={follows ? store.pause : store.follow}
      >
        <Icon name={follows ? 'stop' : 'play'} /> {follows ? 'Pause' : 'Follow'}
      </button>
      <button type="button" class="button" onClick={logs.reload}>
        <Icon name="again" /> Refresh
      </button>
      <ColumnMenu {...{ table, view, columns }} onColumns={setColumns} />
      <LogExport logs={logs} />
      <CallMenu logs={logs} />
    </div>
  );
}
