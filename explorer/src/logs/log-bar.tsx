// The tools of a log view: its table, time range, following, columns, and the calls behind it.
import { Icon } from '../parts/icon.tsx';
import { PopoverButton } from '../parts/popover-button.tsx';
import type { Table } from '../service/listing.ts';
import { ALL_LOGS } from '../state/address.ts';
import { useExplorer } from '../state/context.ts';
import { TimeRangeControl } from '../time-range/time-range-control.tsx';
import { CallList, CallMenu } from './call-menu.tsx';
import { ColumnMenu } from './column-menu.tsx';
import { isFollowing } from './follower.ts';
import type { LayoutProps } from './log-layout.ts';
import { ExportChoice, ExportMenu } from './log-export.tsx';
import type { Sheet } from './use-sheet.ts';
import type { Logs } from './use-logs.ts';

interface LogBarProps extends LayoutProps {
  readonly logs: Logs;
  readonly table: Table;
  readonly sheet: Sheet;
}

export function LogBar({ logs, table, sheet, ...layout }: LogBarProps) {
  const { zone, setZone } = useExplorer();
  const { view, views, range, store, change, columns, setColumns, question } = logs;
  const following = store.following.value;
  const follows = isFollowing(following);
  const canFollow = question.isOpen === true;
  return (
    <div class="log-bar">
      {views.length > 1 && (
        <label>
          <span class="visually-hidden">Table</span>
          <select
            class="input mono"
            value={view.table}
            onChange={({ currentTarget }) => change({ ...ALL_LOGS, range, table: currentTarget.value })}
          >
            {views.map(({ table: name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <TimeRangeControl
        range={range}
        onChange={(next) => change({ range: next })}
        zone={zone.value}
        onZone={setZone}
        linkOf={logs.linkTo}
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
        <Icon name={follows ? 'stop' : 'play'} />{' '}
        <span class="wide-words">{follows ? 'Pause' : 'Follow'}</span>
      </button>
      <button type="button" class="button log-refresh" onClick={logs.reload}>
        <Icon name="again" /> <span class="wide-words">Refresh</span>
      </button>
      <ColumnMenu {...{ table, view, columns }} {...layout} onColumns={setColumns} />
      <Outputs logs={logs} />
      <button
        type="button"
        class="button log-sheet-button"
        aria-expanded={sheet.isOpen}
        onClick={sheet.toggle}
      >
        <Icon name="facets" /> <span class="visually-hidden">Facets</span>
      </button>
    </div>
  );
}

/** A phone has one button for these and for *Refresh*: there is no room for more beside the name of the table. */
function Outputs({ logs }: Pick<LogBarProps, 'logs'>) {
  return (
    <>
      <div class="log-wide-tools">
        <ExportMenu logs={logs} />
        <CallMenu logs={logs} />
      </div>
      <div class="log-more">
        <PopoverButton
          label="Refresh, export and calls"
          panelClass="log-calls"
          words={
            <>
              <Icon name="more" /> <span class="visually-hidden">More</span>
            </>
          }
        >
          {() => (
            <>
              <button type="button" class="button" onClick={logs.reload}>
                <Icon name="again" /> Refresh
              </button>
              <section>
                <h2>Export</h2>
                <ExportChoice logs={logs} />
              </section>
              <CallList logs={logs} />
            </>
          )}
        </PopoverButton>
      </div>
    </>
  );
}
