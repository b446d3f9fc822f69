// Prints the report about a call.
import type { LoggedStatement } from '../../../service/engine/query-log.ts';
import { jsonText } from '../../../service/observe/visible-text.ts';
import type { CallReport } from '../../../service/request/why/report.ts';
import { renderTable } from '../../kit/table.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { EndpointChanges } from './changes.ts';

interface PrintOptions {
  readonly terminal: Terminal;
  readonly isJson: boolean;
}

/** `changes` is undefined if they were not looked for. */
export function printReport(
  report: CallReport,
  changes: EndpointChanges | undefined,
  { terminal, isJson }: PrintOptions,
): void {
  if (isJson) {
    terminal.write(jsonText(changes === undefined ? report : { ...report, changes }));
    return;
  }
  const { print, paint } = terminal;
  const section = (title: string, lines: readonly string[]): void => {
    if (lines.length === 0) return;
    print('');
    print(paint('bold', title));
    for (const line of lines) print(`  ${line}`);
  };
  for (const line of headLines(report)) print(line);
  section('Reasons', reasonLines(report));
  section('Time in ms', stageLines(report));
  section('Plan', planLines(report));
  section(report.scope === 'all' ? 'Beside it' : 'Beside it, of this key', besideLines(report));
  section('On the server', serverLines(report));
  section('Changes', changes === undefined ? [] : changeLines(changes));
}

function headLines({
  endpoint,
  version,
  request,
  time,
  status,
  code,
  ms,
  cache,
  returned,
  read,
}: CallReport) {
  const name = version === undefined ? endpoint : `${endpoint}@${version}`;
  const outcome = code === undefined ? `${status}` : `${status} ${code}`;
  return [
    `${name}: ${ms} ms, ${outcome}, ${time}, request ${request}`,
    `${returned.rows} rows and ${returned.bytes} bytes returned${read === undefined ? '' : `; ${read.rows} rows and ${read.bytes} bytes read from tables`}; cache: ${cache ?? 'none'}`,
  ];
}

function reasonLines({ reasons }: CallReport): readonly string[] {
  return reasons.flatMap(({ text, fix }) => [text, ...(fix === undefined ? [] : [`  ${fix}`])]);
}

function stageLines({ stages = {} }: CallReport): readonly string[] {
  const entries = Object.entries(stages);
  return entries.length === 0 ? [] : [entries.map(([stage, ms]) => `${stage} ${ms}`).join('  ')];
}

function planLines({ plan, unplanned }: CallReport): readonly string[] {
  if (plan === undefined) return unplanned === undefined ? [] : [unplanned];
  const reads = plan.reads.map(({ table, granules, ofGranules, used }) => {
    const share = ofGranules === null ? 'read as a whole' : `${granules} of ${ofGranules} granules`;
    return `${table}: ${share}${used.length === 0 ? '' : `, by ${used.join(', ')}`}`;
  });
  const steps = plan.steps.map(
    ({ step, depth, threads }) =>
      `${'  '.repeat(depth)}${step}${threads > 1 ? ` on ${threads} threads` : ''}`,
  );
  return [...reads, ...plan.others.map((other) => `also ${other}`), ...steps];
}

function besideLines({ beside }: CallReport): readonly string[] {
  if (beside.length === 0) return [];
  const rows = beside.map(({ endpoint, key = '', calls, engine }) => [
    endpoint,
    key,
    `${calls}`,
    `${engine}`,
  ]);
  return renderTable([['endpoint', 'key', 'calls', 'engine ms'], ...rows]);
}

function serverLines({ server }: CallReport): readonly string[] {
  if (server === undefined) return [];
  if ('reason' in server) return [`not known: ${server.reason}`];
  if (server.statements.length === 0)
    return ['no statement is in system.query_log of the host that answered; it is written every few seconds'];
  return server.statements.flatMap(statementLines);
}

function statementLines({ ms, readRows, memory, error, times, counts, steps }: LoggedStatement) {
  const failed = error === 0 ? '' : `, error ${error}`;
  return [
    `${ms} ms, ${readRows} rows read, ${memory} bytes of memory${failed}`,
    ...[named(times, ' ms'), named(counts, '')].filter((line) => line !== '').map((line) => `  ${line}`),
    ...steps.map(
      ({ step, ms: took, inputRows, outputRows }) =>
        `  ${step}: ${took} ms, ${inputRows} → ${outputRows} rows`,
    ),
  ];
}

function named(values: Readonly<Record<string, number>>, unit: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${Math.round(value * 10) / 10}${unit}`)
    .join(', ');
}

function changeLines(changes: EndpointChanges): readonly string[] {
  if ('reason' in changes) return [`not looked for: ${changes.reason}`];
  if (changes.findings.length === 0)
    return ['none: millrace cost proposes no change with which it reads less'];
  return changes.findings.flatMap(({ file, line, column, message, hint }) => [
    `${file}:${line}:${column}: ${message}`,
    ...(hint === undefined ? [] : [`  ${hint}`]),
  ]);
}
