// `millrace doctor`: prints the report of the sandbox self-test and the server checks.
import type { PreflightFinding } from '../../../service/preflight/finding.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { Terminal } from '../../kit/terminal.ts';

const SHOWN = { open: 'red', damaged: 'red', known: 'yellow', advice: 'yellow' } as const;
const WIDTH = 'advice  '.length;

/** Prints the files that are rejected, and so not tested, each with its first error; returns 1 if there are any. */
export function reportRejected(errors: readonly Finding[], { print, paint }: Terminal): 0 | 1 {
  const files = new Map(errors.toReversed().map((each) => [each.file, each]));
  for (const { file, line, column, message } of [...files.values()].toReversed())
    print(`${paint('red', 'rejected')} ${file}:${line}:${column} ${message}`);
  if (files.size > 0)
    print('         These files are not served, and were not tested: see millrace validate');
  return files.size > 0 ? 1 : 0;
}

/** Prints the report; returns 1 if an escape attempt succeeded that must not, or data are damaged. */
export function reportPreflight(findings: readonly PreflightFinding[], terminal: Terminal): 0 | 1 {
  const { print, note, paint } = terminal;
  const counts = { open: 0, damaged: 0, known: 0, advice: 0 };
  for (const outcome of ['open', 'damaged', 'known', 'advice'] as const) {
    const those = findings.filter((each) => each.outcome === outcome);
    counts[outcome] = those.length;
    for (const { layer, name, fix } of those) {
      print(`${paint(SHOWN[outcome], outcome)}${' '.repeat(WIDTH - outcome.length)}${layer}: ${name}`);
      for (const line of fix?.split('\n') ?? []) print(`${' '.repeat(WIDTH)}${line}`);
    }
  }
  const indent = ' '.repeat(WIDTH);
  if (counts.known > 0) {
    print(
      `${indent}The embedded engine itself allows the known ones; the checks in front of it reject them.`,
    );
  }
  const held = findings.filter(({ outcome }) => outcome === 'held').length;
  const damaged = counts.damaged === 0 ? '' : `, ${counts.damaged} damaged`;
  note(
    `${findings.length} checks: ${held} held, ${counts.known} known, ${counts.open} open${damaged}, ${counts.advice} to consider`,
  );
  if (findings.every(({ layer }) => layer === 'process' || layer === 'data'))
    note('No endpoint accepts consumer queries: nothing to test.');
  return counts.open + counts.damaged > 0 ? 1 : 0;
}
