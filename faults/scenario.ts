// What a fault scenario is: a pass line in words, a run that measures, and what it measured.
import type { ChildProcess } from 'node:child_process';
import type { Random } from './random.ts';

/** One thing that was measured, and whether it is within its line. */
export interface Check {
  readonly what: string;
  readonly measured: string;
  readonly passed: boolean;
  /** On how busy it is, or what it allows: told, and left out of the verdict of a short run. */
  readonly dependsOnMachine: boolean;
}

export interface Context {
  readonly seed: number;
  readonly random: Random;
  /** Seconds where the long form takes minutes. */
  readonly isShort: boolean;
  /** How long the soak goes on. */
  readonly minutes: number;
  readonly note: (line: string) => void;
  /** A folder of the scenario's own, removed after it. */
  readonly folder: (name: string) => Promise<string>;
  /** Ends something when the scenario is over, however it went; the last one first. */
  readonly defer: (end: () => unknown) => void;
  /** Dies with the run, should that be interrupted. */
  readonly own: (child: ChildProcess) => void;
}

export interface Scenario {
  readonly name: string;
  /** What has to hold, in words. */
  readonly pass: string;
  /** After this it is ended and has failed. */
  readonly seconds: { readonly short: number; readonly long: number };
  readonly run: (context: Context) => Promise<readonly Check[]>;
}

/** Something that has to be exactly so. */
export function exact(what: string, measured: number | string, wanted: number | string): Check {
  const told = measured === wanted ? String(measured) : `${measured}, not ${wanted}`;
  return { what, measured: told, passed: measured === wanted, dependsOnMachine: false };
}

/** Something that may be at most so much. */
export function atMost(what: string, measured: number, most: number, unit: string): Check {
  const told = `${round(measured)} ${unit} of ${round(most)}`;
  return { what, measured: told, passed: measured <= most, dependsOnMachine: false };
}

/** As `atMost`, for times and what depends on them. */
export function inTime(what: string, measured: number, most: number, unit = 'ms'): Check {
  return { ...atMost(what, measured, most, unit), dependsOnMachine: true };
}

/** Statuses and how many of each; passes when each is allowed. */
export function onlyStatuses(
  what: string,
  counts: ReadonlyMap<string, number>,
  isAllowed: (status: string) => boolean,
): Check {
  const told = [...counts].map(([status, count]) => `${status} × ${count}`).toSorted();
  const passed = counts.size > 0 && [...counts.keys()].every(isAllowed);
  return { what, measured: told.join(', ') || 'none', passed, dependsOnMachine: false };
}

function round(value: number): string {
  return Math.abs(value) >= 10 ? value.toFixed(0) : String(Number(value.toFixed(2)));
}
