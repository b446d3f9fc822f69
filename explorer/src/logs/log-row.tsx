// One row of the list: time, level, fields, and the message with what the filter searches for marked.
import { useMemo } from 'preact/hooks';
import { onOneLine } from '../parts/hidden-characters.ts';
import { Marked } from '../parts/marked.tsx';
import { placesOf } from '../parts/places.ts';
import { Visible } from '../parts/visible.tsx';
import { preview, type Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import type { Zone } from '../time-range/range.ts';
import type { LogColumn } from './log-columns.ts';
import { messageOf } from './message.ts';
import { valueAt } from './row-values.ts';
import { severityOf } from './severity.ts';
import { dayOf, fullTimeText, timeText } from './times.ts';

/** Characters of one value: the panel shows all of them. */
const MAX_TEXT = 500;

interface LogRowProps {
  readonly row: Row;
  readonly index: number;
  readonly table: Table;
  readonly columns: readonly LogColumn[];
  /** The level at this path colors the row even if its column is hidden. */
  readonly level: string | undefined;
  readonly matches: readonly RegExp[];
  readonly isActive: boolean;
  /** The same function each time. */
  readonly open: (index: number) => void;
}

/** A row that did not change is the same element, which Preact does not compare again. */
export function LogRow({ row, index, table, columns, level, matches, isActive, open }: LogRowProps) {
  const { zone, page } = useExplorer();
  const shownZone = zone.value;
  const today = dayOf(page.epoch(), shownZone);
  return useMemo(() => {
    const severity = level === undefined ? 'other' : severityOf(valueAt(row, table, level));
    return (
      <div
        class="log-row"
        role="row"
        id={`log-${index}`}
        aria-rowindex={index + 2}
        aria-selected={isActive}
        data-severity={severity}
        onClick={() => open(index)}
      >
        {columns.map((column) => (
          <Cell key={column.path} {...{ row, table, column, matches, today }} zone={shownZone} />
        ))}
      </div>
    );
  }, [row, index, table, columns, level, matches, isActive, shownZone, today]);
}

interface CellProps extends Pick<LogRowProps, 'row' | 'table' | 'matches'> {
  readonly column: LogColumn;
  readonly zone: Zone;
  readonly today: string;
}

function Cell({ row, table, column: { kind, path }, matches, zone, today }: CellProps) {
  const value = kind === 'time' ? row[path] : valueAt(row, table, path);
  const text = value === null ? '' : preview(value, MAX_TEXT);
  switch (kind) {
    case 'time':
      return (
        <span role="gridcell" class="log-time" title={fullTimeText(text, zone)}>
          {timeText(text, zone, today)}
        </span>
      );
    case 'level':
      return (
        <span role="gridcell" class="log-level" title={severityOf(value)}>
          <Visible text={text} />
        </span>
      );
    case 'field':
      return (
        <span role="gridcell" class="log-column" title={text}>
          <Visible text={onOneLine(text)} />
        </span>
      );
    case 'message': {
      const { text: words, fields } = messageOf(value);
      return (
        <span role="gridcell" class="log-message">
          {words !== '' && <MessageText text={words} matches={matches} />}
          {words !== '' && fields !== '' && '  '}
          {fields !== '' && (
            <span class="log-fields">
              <MessageText text={fields} matches={matches} />
            </span>
          )}
        </span>
      );
    }
  }
}

/** Line breaks are shown as such when the rows are wrapped, otherwise as a mark. */
function MessageText({ text, matches }: { readonly text: string; readonly matches: readonly RegExp[] }) {
  const lines = text.split(/\r?\n|\r/);
  return (
    <>
      {lines.map((line, i) => (
        <span key={i}>
          {i > 0 && <span class="log-break">{'\n'}</span>}
          <Marked text={line} places={placesOf(line, matches)} />
        </span>
      ))}
    </>
  );
}
