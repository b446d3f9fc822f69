// The report of an import: a table for the terminal, Markdown and JSON.
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
    print(paint('bold', plain(`${each.endpoint ?? each.query.title}: ${STATUS_TEXT[each.status]}`)));
    for (const { place, message, hint } of notes)
      print(plain(`  ${placeOf(each, place)}: ${message}${hint === undefined ? '' : `. ${hint}`}`));
  }
  print('');
  for (const { name, file } of report.tables) print(plain(`table ${name}: ${file}`));
  for (const { file, line, message } of report.problems) print(plain(`${file}:${line}: ${message}`));
  print(summaryOf(report));
};

/** Control characters of exports must not reach the terminal. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these characters are what it removes
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}

/** Most rows of a table in Markdown. */
const MAX_ROWS = 2_000;

export const printMarkdown: PrintReport = (report, { print }) => {
  print(`# Import of ${text(report.source)}`);
  print('');
  print(`**${summaryOf(report)}.**`);
  for (const status of STATUSES.toReversed()) {
    const queries = report.queries.filter((each) => each.status === status);
    if (queries.length === 0) continue;
    print('');
    print(
      `## ${status === 'converted' ? 'Converted' : status === 'partly' ? 'Converted partly' : 'Not converted'}`,
    );
    print('');
    print('| query | endpoint | from | reasons |');
    print('|---|---|---|---|');
    for (const each of queries.slice(0, MAX_ROWS)) print(row(each));
    if (queries.length > MAX_ROWS) print(`\n… and ${queries.length - MAX_ROWS} more.`);
  }
  if (report.tables.length > 0) print('\n## Tables\n');
  for (const { name, file } of report.tables) print(`- ${text(name)}: ${text(file)}`);
  if (report.problems.length > 0) print('\n## Files that were not read\n');
  for (const { file, line, message } of report.problems) print(`- ${text(file)}:${line}: ${text(message)}`);
};

function row(each: ImportedQuery): string {
  const reasons = each.notes.map(({ severity, place, inQuery, message, hint }) => {
    const what =
      severity === 'not_converted' ? '**not converted**' : severity === 'differs' ? '**may differ**' : 'note';
    return `${what} (${place.line}:${place.column}, line ${inQuery.line} of the query): ${text(message)}${hint === undefined ? '' : `. ${text(hint)}`}`;
  });
  return `| ${text(each.query.title)} | ${each.endpoint === undefined ? '' : `\`${each.endpoint}\``} | ${text(placeOf(each))} | ${reasons.join('<br>')} |`;
}

/** Escaped for Markdown, on one line. */
function text(written: string): string {
  return plain(written)
    .replace(/\s+/g, ' ')
    .slice(0, 400)
    .replace(/[\\`*_[\]<>#|~$&!@]/g, String.raw`\$&`);
}

export const printJson: PrintReport = (report, { print }) => {
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
  print(JSON.stringify({ source, counts, queries, tables, problems }, null, 2));
};
