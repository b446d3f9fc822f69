// Findings for a terminal: location, source line, caret and fix.
import { renderFinding } from '../kit/caret.ts';
import { countErrors, summaryOf, type PrintFindings } from './findings.ts';

export const printHuman: PrintFindings = (found, terminal) => {
  for (const finding of found.findings) {
    for (const line of renderFinding(finding, found.textOf(finding.file), terminal)) terminal.print(line);
    terminal.print('');
  }
  const style = countErrors(found.findings) > 0 ? 'red' : 'green';
  terminal.note(terminal.paint(style, summaryOf(found)));
};
