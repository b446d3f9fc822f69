// Copies of a row: a link, the row as JSON, and the queries that return it.
import { snippetsOf } from '../code/snippets.ts';
import { useCopy } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { PopoverButton } from '../parts/popover-button.tsx';
import { viewFragment } from '../saved-views/view-actions.ts';
import { printJson, type Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { fixedAt, writeRange } from '../time-range/range.ts';
import { queriesOf } from './row-calls.ts';
import { keyOf } from './row-key.ts';
import type { Logs } from './use-logs.ts';

interface Props {
  readonly row: Row;
  readonly table: Table;
  readonly logs: Logs;
}

export function RowCopies(props: Props) {
  const copy = useCopy();
  return (
    <PopoverButton
      label="Copy the row"
      panelClass="log-copies"
      isSmall
      words={
        <>
          <Icon name="copy" /> Copy
        </>
      }
    >
      {(close) => (
        <Choices
          {...props}
          onCopy={(text, what) => {
            close();
            copy(text, what);
          }}
        />
      )}
    </PopoverButton>
  );
}

function Choices({
  row,
  table,
  logs,
  onCopy,
}: Props & { readonly onCopy: (text: string, what: string) => void }) {
  const { base, address, page } = useExplorer();
  const { endpoint, view, range, question } = logs;
  const queries = queriesOf(row, question, table);
  const curl = queries && snippetsOf({ ask: queries.sql ?? queries.lql, endpoint, base })[0]?.text;
  const linkText = (): string => {
    const { logs: shown } = address.value;
    if (shown === undefined) return base;
    const fixed = { ...shown, row: keyOf(row, view.time), range: writeRange(fixedAt(range, page.epoch())) };
    return new URL(viewFragment({ ...address.value, logs: fixed }), base).href;
  };
  const choices = [
    { label: 'Link to the row', what: 'a link to the row', text: linkText },
    { label: 'JSON', what: 'the row', text: () => printJson(row, '  ') },
    ...(queries === undefined
      ? []
      : [{ label: 'LQL', what: 'the row as LQL', text: () => queries.lql.own?.text ?? '' }]),
    ...(queries?.sql === undefined
      ? []
      : [{ label: 'SQL', what: 'the row as SQL', text: () => queries.sql?.own?.text ?? '' }]),
    ...(curl === undefined ? [] : [{ label: 'curl', what: 'the row as curl', text: () => curl }]),
  ];
  return (
    <>
      {choices.map(({ label, what, text }) => (
        <button key={label} type="button" class="button quiet small" onClick={() => onCopy(text(), what)}>
          {label}
        </button>
      ))}
    </>
  );
}
