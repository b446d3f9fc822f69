// The shape of a fault scenario: a pass criterion in words, a run that measures, and the measurements.
import type { ChildProcess } from 'node:child_process';
import type { Random } from './random.ts';

/** One measurement, and whether it meets its criterion. */
export interface Check {
  readonly what: string;
  readonly measured: string;
  readonly passed: boolean;
  /** Depends on the load of the machine: reported, but ignored in the verdict of a short run. */
  readonly dependsOnMachine: boolean;
}

export interface Context {
  readonly seed: number;
  readonly random: Random;
  /** Seconds instead of the minutes of the long form. */
  readonly isShort: boolean;
  /** Duration of the soak. */
  readonly minutes: number;
  readonly note: (line: string) => void;
  /** A temporary folder, removed after the scenario. */
  readonly folder: (name: string) => Promise<string>;
  /** Registers a cleanup step, run after the scenario whatever the outcome, in reverse order. */
  readonly defer: (end: () => unknown) => void;
  /** Registers a process to kill if the run is interrupted. */
  readonly own: (child: ChildProcess) => void;
}

export interface Scenario {
  readonly name: string;
  /** The pass criterion, in words. */
  readonly pass: string;
  /** After this time the scenario is stopped and fails. */
  readonly seconds: { readonly short: number; readonly long: number };
  readonly run: (context: Context) => Promise<readonly Check[]>;
}

/** Checks for an exact value. */
export function exact(what: string, measured: number | string, wanted: number | string): Check {
  const shown = measured === wanted ? String(measured) : `${measured}, not ${wanted}`;
  return { what, measured: shown, passed: measured === wanted, dependsOnMachine: false };
}

/** Checks for an upper bound. */
export function atMost(what: string, measured: number, most: number, unit: string): Check {
  const shown = `${round(measured)} ${unit} of ${round(most)}`;
  return { what, measured: shown, passed: measured <= most, dependsOnMachine: false };
}

/** Like `atMost`, for times and values that depend on timing. */
export function inTime(what: string, measured: number, most: number, unit = 'ms'): Check {
  return { ...atMost(what, measured, most, unit), dependsOnMachine: true };
}

/** Counts by status; passes if every status is allowed. */
export function onlyStatuses(
  what: string,
  counts: ReadonlyMap<string, number>,
  isAllowed: (status: string) => boolean,
): Check {
  const shown = [...counts].map(([status, count]) => `${status} × ${count}`).toSorted();
  const passed = counts.size > 0 && [...counts.keys()].every(isAllowed);
  return { what, measured: shown.join(', ') || 'none', passed, dependsOnMachine: false };
}

function round(value: number): string {
  return Math.abs(value) >= 10 ? value.toFixed(0) : String(Number(value.toFixed(2)));
}
