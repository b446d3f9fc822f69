// The report of an import: a table for the terminal, Markdown and JSON.
import { escapeMarkdown, markdownCode } from '../../kit/markdown-text.ts';
import { jsonText, visible } from '../../../service/observe/visible-text.ts';
import { renderTable } from '../../kit/table.ts';
import {
  countOf,
  isPart,
  madeOf,
  placeOf,
  STATUSES,
  STATUS_TEXT,
  summaryOf,
  type ImportedItem,
  type ItemStatus,
  type PrintReport,
} from './report.ts';

export const printTable: PrintReport = (report, { print, paint }) => {
  const rows = report.items.map((each) => [
    madeOf(each) ?? '-',
    STATUS_TEXT[each.status],
    `${each.kind} ${each.title}`,
    placeOf(each),
  ]);
  if (rows.length > 0)
    for (const line of renderTable([['made', 'status', 'item', 'from'], ...rows])) print(line);
  for (const each of report.items.filter((item) => !isPart(item))) {
    const notes = each.notes.filter(({ severity }) => severity !== 'note' || each.status === 'none');
    if (notes.length === 0) continue;
    print('');
    print(paint('bold', visible(`${madeOf(each) ?? each.title}: ${STATUS_TEXT[each.status]}`)));
    for (const { place, message, hint } of notes)
      print(visible(`  ${placeOf(each, place)}: ${message}${hint === undefined ? '' : `. ${hint}`}`));
  }
  print('');
  print(summaryOf(report));
};

/** Most rows of a table in Markdown. */
const MAX_ROWS = 2_000;

const HEADINGS: Readonly<Record<ItemStatus, string>> = {
  converted: 'Converted',
  partly: 'Converted partly',
  not: 'Not converted',
  none: 'Nothing to convert',
};

/** What needs work comes first. */
const ORDER: readonly ItemStatus[] = ['not', 'partly', 'converted', 'none'];

export const printMarkdown: PrintReport = (report, { write }) => {
  const { source, items } = report;
  const ofStatuses = ORDER.flatMap((status) => {
    const rows = items.filter((each) => each.status === status);
    if (rows.length === 0) return [];
    const head = ['', `## ${HEADINGS[status]}`, '', '| item | made | from | reasons |', '|---|---|---|---|'];
    const more = rows.length > MAX_ROWS ? ['', `… and ${rows.length - MAX_ROWS} more.`] : [];
    return [...head, ...rows.slice(0, MAX_ROWS).map(row), ...more];
  });
  const lines = [`# Import of ${text(source)}`, '', `**${summaryOf(report)}.**`, ...ofStatuses];
  write(`${lines.join('\n')}\n`);
};

function row(each: ImportedItem): string {
  const reasons = each.notes.map(({ severity, place, inQuery, message, hint }) => {
    const what =
      severity === 'not_converted' ? '**not converted**' : severity === 'differs' ? '**may differ**' : 'note';
    return `${what} (${place.line}:${place.column}, line ${inQuery.line} of the query): ${text(message)}${hint === undefined ? '' : `. ${text(hint)}`}`;
  });
  const made = madeOf(each);
  return `| ${text(`${each.kind} ${each.title}`)} | ${made === undefined ? '' : markdownCode(made)} | ${text(placeOf(each))} | ${reasons.join('<br>')} |`;
}

/** Most UTF-16 code units of a title, a name or a message. */
const MAX_TEXT = 400;

function text(written: string): string {
  return escapeMarkdown(written.replace(/\s+/g, ' ').slice(0, MAX_TEXT));
}

export const printJson: PrintReport = (report, { write }) => {
  const items = report.items.map(
    ({
      title,
      kind,
      tool,
      status,
      endpoint,
      relation,
      rollup,
      written,
      file,
      place,
      dialect,
      parameters,
      notes,
      rows,
    }) => ({
      title,
      kind,
      tool: tool ?? null,
      dialect: dialect ?? null,
      status,
      endpoint: endpoint ?? null,
      relation: relation ?? null,
      rollup: rollup ?? null,
      file: written?.file ?? null,
      written: written?.how ?? null,
      from: { file, ...place },
      rows: rows ?? null,
      parameters: (parameters ?? []).map(({ name, type, required }) => ({ name, type, required })),
      notes: notes.map(({ inQuery, place: at, ...note }) => ({ ...note, ...at, query: inQuery })),
    }),
  );
  const counts = {
    items: items.length,
    ...Object.fromEntries(STATUSES.map((status) => [status, countOf(report, status)])),
  };
  write(jsonText({ source: report.source, database: report.database ?? null, counts, items }));
};
