// The report of an import: a table for the terminal, Markdown and JSON.
import { escapeMarkdown, markdownCode } from '../markdown-text.ts';
import { jsonText, visible } from '../../observe/visible-text.ts';
import { renderTable } from '../table.ts';
import { placeOf, STATUSES, STATUS_TEXT, summaryOf, type ImportedQuery, type PrintReport } from './report.ts';

export const printTable: PrintReport = (report, { print, paint }) => {
  const rows = report.queries.map((each) => [
    each.endpoint ?? '-',
    STATUS_TEXT[each.status],
    each.query.tool,
    placeOf(each),
  ]);
  if (rows.length > 0)
    for (const line of renderTable([['endpoint', 'status', 'tool', 'from'], ...rows])) print(line);
  for (const each of report.queries) {
    const notes = each.notes.filter(({ severity }) => severity !== 'note');
    if (notes.length === 0) continue;
    print('');
    print(paint('bold', visible(`${each.endpoint ?? each.query.title}: ${STATUS_TEXT[each.status]}`)));
    for (const { place, message, hint } of notes)
      print(visible(`  ${placeOf(each, place)}: ${message}${hint === undefined ? '' : `. ${hint}`}`));
  }
  print('');
  for (const { name, file } of report.tables) print(visible(`table ${name}: ${file}`));
  for (const { file, line, message } of report.problems) print(visible(`${file}:${line}: ${message}`));
  print(summaryOf(report));
};

/** Most rows of a table in Markdown. */
const MAX_ROWS = 2_000;

const HEADINGS: Readonly<Record<(typeof STATUSES)[number], string>> = {
  converted: 'Converted',
  partly: 'Converted partly',
  not: 'Not converted',
};

export const printMarkdown: PrintReport = (report, { write }) => {
  const { source, queries, tables, problems } = report;
  const ofStatuses = STATUSES.toReversed().flatMap((status) => {
    const rows = queries.filter((each) => each.status === status);
    if (rows.length === 0) return [];
    const head = [
      '',
      `## ${HEADINGS[status]}`,
      '',
      '| query | endpoint | from | reasons |',
      '|---|---|---|---|',
    ];
    const more = rows.length > MAX_ROWS ? ['', `… and ${rows.length - MAX_ROWS} more.`] : [];
    return [...head, ...rows.slice(0, MAX_ROWS).map(row), ...more];
  });
  const lines = [
    `# Import of ${text(source)}`,
    '',
    `**${summaryOf(report)}.**`,
    ...ofStatuses,
    ...(tables.length > 0 ? ['', '## Tables', ''] : []),
    ...tables.map(({ name, file }) => `- ${text(name)}: ${text(file)}`),
    ...(problems.length > 0 ? ['', '## Files that were not read', ''] : []),
    ...problems.map(({ file, line, message }) => `- ${text(file)}:${line}: ${text(message)}`),
  ];
  write(`${lines.join('\n')}\n`);
};

function row(each: ImportedQuery): string {
  const reasons = each.notes.map(({ severity, place, inQuery, message, hint }) => {
    const what =
      severity === 'not_converted' ? '**not converted**' : severity === 'differs' ? '**may differ**' : 'note';
    return `${what} (${place.line}:${place.column}, line ${inQuery.line} of the query): ${text(message)}${hint === undefined ? '' : `. ${text(hint)}`}`;
  });
  return `| ${text(each.query.title)} | ${each.endpoint === undefined ? '' : markdownCode(each.endpoint)} | ${text(placeOf(each))} | ${reasons.join('<br>')} |`;
}

/** Most UTF-16 code units of a title, a name or a message. */
const MAX_TEXT = 400;

function text(written: string): string {
  return escapeMarkdown(written.replace(/\s+/g, ' ').slice(0, MAX_TEXT));
}

export const printJson: PrintReport = (report, { write }) => {
  const count = (status: string): number => report.queries.filter((each) => each.status === status).length;
  const queries = report.queries.map(
    ({ query, endpoint, file, written, status, dialect, parameters, notes, place }) => ({
      title: query.title,
      tool: query.tool,
      dialect: dialect ?? null,
      status,
      endpoint: endpoint ?? null,
      file: file ?? null,
      written: written ?? null,
      from: { file: query.file, ...place },
      parameters: parameters.map(({ name, type, required }) => ({ name, type, required })),
      notes: notes.map(({ inQuery, place: at, ...note }) => ({ ...note, ...at, query: inQuery })),
    }),
  );
  const { source, tables, problems } = report;
  const counts = {
    queries: queries.length,
    converted: count('converted'),
    partly: count('partly'),
    not: count('not'),
  };
  write(jsonText({ source, counts, queries, tables, problems }));
};
