// `millrace doctor`: the walls around consumers' queries, tried one by one.
import type { PreflightFinding } from '../request/preflight.ts';
import type { Terminal } from './terminal.ts';

/** Prints the report; 1 when something is open that must not be. */
export function reportPreflight(findings: readonly PreflightFinding[], terminal: Terminal): 0 | 1 {
  const { print, note, paint } = terminal;
  const open = findings.filter((each) => each.outcome === 'open');
  const known = findings.filter((each) => each.outcome === 'known');
  for (const { wall, name } of open) print(`${paint('red', 'open')}   ${wall}: ${name}`);
  for (const { wall, name } of known) print(`${paint('yellow', 'known')}  ${wall}: ${name}`);
  if (known.length > 0)
    print('       The embedded engine itself allows these; the checks in front of it do not.');
  const held = findings.length - open.length - known.length;
  note(`${findings.length} attacks: ${held} held off, ${known.length} known, ${open.length} open`);
  if (findings.length === 0) note('No endpoint takes queries of consumers: nothing to try.');
  return open.length > 0 ? 1 : 0;
}
