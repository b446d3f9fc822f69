// `millrace doctor`: the walls around consumers' queries, tried one by one, and what a server lacks.
import type { PreflightFinding } from '../request/preflight.ts';
import type { Terminal } from './terminal.ts';

const SHOWN = { open: 'red', known: 'yellow', advice: 'yellow' } as const;
const WIDTH = 'advice  '.length;

/** Prints the report; 1 when something is open that must not be. */
export function reportPreflight(findings: readonly PreflightFinding[], terminal: Terminal): 0 | 1 {
  const { print, note, paint } = terminal;
  const counts = { open: 0, known: 0, advice: 0 };
  for (const outcome of ['open', 'known', 'advice'] as const) {
    const those = findings.filter((each) => each.outcome === outcome);
    counts[outcome] = those.length;
    for (const { wall, name, mend } of those) {
      print(`${paint(SHOWN[outcome], outcome)}${' '.repeat(WIDTH - outcome.length)}${wall}: ${name}`);
      if (mend !== undefined) print(`${' '.repeat(WIDTH)}${mend}`);
    }
  }
  const indent = ' '.repeat(WIDTH);
  if (counts.known > 0) {
    print(`${indent}The embedded engine itself allows what is known; the checks in front of it do not.`);
  }
  const held = findings.length - counts.open - counts.known - counts.advice;
  note(
    `${findings.length} checks: ${held} held, ${counts.known} known, ${counts.open} open, ${counts.advice} to consider`,
  );
  if (findings.length === 0) note('No endpoint takes queries of consumers: nothing to try.');
  return counts.open > 0 ? 1 : 0;
}
