// The processes that belong to a temporary folder: those started with a TMPDIR at or below it, or that run there. Children
// inherit both, also from a parent that was killed, so no list has to be kept. Found on Linux only (proc(5)).
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Their ids, without this process. */
export function processesOf(folder: string): readonly number[] {
  return processIds().filter((pid) => pid !== process.pid && belongsTo(folder, pid));
}

/** Kills them, and those that they start meanwhile. */
export function endProcessesOf(folder: string): void {
  for (let found = processesOf(folder); found.length > 0; found = processesOf(folder))
    for (const pid of found) end(pid);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function processIds(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return []; // no proc file system
  }
}

/** By both: Redis writes its title over its environment, and a service may run in any folder. */
function belongsTo(folder: string, pid: number): boolean {
  const isBelow = (path: string): boolean => path === folder || path.startsWith(`${folder}/`);
  try {
    if (isBelow(readlinkSync(`/proc/${pid}/cwd`))) return true;
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return environment.some((each) => each.startsWith('TMPDIR=') && isBelow(each.slice('TMPDIR='.length)));
  } catch {
    return false; // it has ended, or is another user's
  }
}
