// The report of `millrace reconvert`: for the terminal, and as JSON.
import { jsonText, visible } from '../../../service/observe/visible-text.ts';
import { renderFinding } from '../../kit/caret.ts';
import { count } from '../../findings/findings.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { ReconvertedFile, ReconvertReport } from './reconvert.ts';

const STATUS_TEXT: Readonly<Record<ReconvertedFile['status'], string>> = {
  differs: 'is converted otherwise now',
  suspect: 'has no source; an older converter may have written these forms',
  unreadable: 'is not converted any more',
};

export function printHuman({ files, withSource, changed }: ReconvertReport, terminal: Terminal): void {
  const { print, paint } = terminal;
  for (const { file, status, isEdited, diff, findings } of changed) {
    const edited = isEdited ? ', and was edited after it was converted' : '';
    print(`${paint('bold', visible(file))} ${STATUS_TEXT[status]}${edited}`);
    for (const line of diff) print(`  ${colored(visible(line), terminal)}`);
    for (const finding of findings)
      for (const line of renderFinding(finding, undefined, terminal)) print(`  ${line}`);
    print('');
  }
  const listed = changed.length === 0 ? 'none to look at' : `${changed.length} to look at`;
  print(`${count(files, 'endpoint file')}, ${withSource} with the source of a conversion, ${listed}`);
}

function colored(line: string, { paint }: Terminal): string {
  if (line.startsWith('-')) return paint('red', line);
  return line.startsWith('+') ? paint('green', line) : line;
}

/** `{"files", "with_source", "changed": [{"file", "status", "edited", "query", "diff", "findings"}]}` */
export function printJson({ files, withSource, changed }: ReconvertReport, { write }: Terminal): void {
  const listed = changed.map(({ file, status, isEdited, query = null, diff, findings }) => ({
    file,
    status,
    edited: isEdited,
    query,
    diff,
    findings,
  }));
  write(jsonText({ files, with_source: withSource, changed: listed }));
}
