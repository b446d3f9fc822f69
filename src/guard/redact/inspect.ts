// Inspects sample rows: what detectors find by column and path, what rules by name apply to, and what a person should look at.
import { HAS_ESCAPE } from './character-flags.ts';
import { rulesBelow, type ColumnAction, type ColumnRules } from './columns.ts';
import type { DetectorName } from './detector.ts';
import { chooseDetectors, DETECTOR_NAMES } from './detectors.ts';
import { createScan } from './scan.ts';
import {
  hasHighEntropy,
  hasSpelledEmail,
  isPersonalName,
  numbersLookLike,
  type Suspicion,
} from './suspicions.ts';

/** What is known of the values of a column or path. */
export interface InspectedPath {
  /** Arrays are transparent; names that look random, or are many, are `*`. */
  readonly path: string;
  /** Number of values that are not null. */
  readonly values: number;
  /** By detector: the number of values with a match. All detectors, also those that the endpoint does not use. */
  readonly found: ReadonlyMap<DetectorName, number>;
  /** The action of the rule that applies. */
  readonly action: ColumnAction | undefined;
  /** Empty if a rule applies. */
  readonly suspicions: ReadonlyMap<Suspicion, number>;
  /** The first value of each kind, with letters as x and digits as 9. */
  readonly examples: ReadonlyMap<DetectorName | Suspicion, string>;
}

export interface Inspection {
  readonly rows: number;
  readonly paths: readonly InspectedPath[];
  /** It is true if there were more paths than are counted. */
  readonly isCut: boolean;
}

export interface InspectOptions {
  readonly detectors: readonly DetectorName[];
  readonly rules: ColumnRules | undefined;
  /** Seconds since 1970. */
  readonly now: number;
}

const MAX_PATHS = 2000;
const MAX_NAMES = 100;
const MAX_DEPTH = 64;

interface CountsDraft {
  values: number;
  readonly found: Map<DetectorName, number>;
  readonly suspicions: Map<Suspicion, number>;
  readonly examples: Map<DetectorName | Suspicion, string>;
  readonly action: ColumnAction | undefined;
  numbers: number;
  least: number;
  greatest: number;
  /** Strings that the endpoint's detectors do not replace as a whole. */
  visible: number;
}

interface Walk extends InspectOptions {
  readonly drafts: Map<string, CountsDraft>;
  readonly names: Map<string, Set<string>>;
  readonly matchesIn: (text: string) => ReadonlyMap<DetectorName, number>;
  isCut: boolean;
}

/** Inspects rows as the engine prints them in JSON. */
export function inspectRows(rows: readonly unknown[], options: InspectOptions): Inspection {
  const walk: Walk = {
    ...options,
    drafts: new Map(),
    names: new Map(),
    matchesIn: createMatchesIn(),
    isCut: false,
  };
  for (const row of rows)
    visitObject(walk, { path: '', rules: options.rules, action: undefined, depth: 0 }, row);
  const paths = [...walk.drafts].map(([path, draft]) => finished(path, draft, options.now));
  return { rows: rows.length, paths, isCut: walk.isCut };
}

/** The length of all matches in a text, by detector. */
function createMatchesIn(): Walk['matchesIn'] {
  const scan = createScan(chooseDetectors(DETECTOR_NAMES));
  return (text) => {
    const bytes = Buffer.from(text);
    const found = new Map<DetectorName, number>();
    for (const { start, end, name } of scan.find(bytes, 0, bytes.length, HAS_ESCAPE))
      found.set(name, (found.get(name) ?? 0) + end - start);
    return found;
  };
}

interface ValuePlace {
  readonly path: string;
  readonly rules: ColumnRules | undefined;
  readonly action: ColumnAction | undefined;
  readonly depth: number;
}

function visit(walk: Walk, place: ValuePlace, value: unknown): void {
  if (value === null || place.depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const item of value) visit(walk, { ...place, depth: place.depth + 1 }, item);
  else if (typeof value === 'object') visitObject(walk, place, value);
  else visitLeaf(walk, place, value);
}

function visitObject(walk: Walk, { path, rules, action, depth }: ValuePlace, value: unknown): void {
  for (const [name, inner] of Object.entries(value ?? {})) {
    const below = rules && rulesBelow(rules, name);
    const shown = nameIn(walk, path, name);
    visit(
      walk,
      {
        path: path === '' ? shown : `${path}.${shown}`,
        rules: below,
        action: action ?? below?.action,
        depth: depth + 1,
      },
      inner,
    );
  }
}

/** Names are data too: those that a detector finds something in, that look random, or of which there are many, are not shown. */
function nameIn(walk: Walk, path: string, name: string): string {
  const known = walk.names.get(path) ?? new Set();
  walk.names.set(path, known);
  if (known.has(name)) return name;
  if (walk.matchesIn(name).size > 0 || hasHighEntropy(name) || (path !== '' && known.size >= MAX_NAMES))
    return '*';
  known.add(name);
  return name;
}

function visitLeaf(walk: Walk, { path, action }: ValuePlace, value: unknown): void {
  const draft = draftOf(walk, path, action);
  if (draft === undefined) return;
  draft.values++;
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return;
    draft.numbers++;
    draft.least = Math.min(draft.least, value);
    draft.greatest = Math.max(draft.greatest, value);
  }
  if (typeof value !== 'string') return;
  const matches = walk.matchesIn(value);
  for (const name of matches.keys()) note(draft.found, draft, name, value);
  const covered = walk.detectors.reduce((sum, name) => sum + (matches.get(name) ?? 0), 0);
  if (value !== '' && covered < Buffer.byteLength(value)) draft.visible++;
  if (action !== undefined || matches.size > 0) return;
  if (hasHighEntropy(value)) note(draft.suspicions, draft, 'high_entropy', value);
  if (hasSpelledEmail(value)) note(draft.suspicions, draft, 'spelled_out_email', value);
}

function draftOf(walk: Walk, path: string, action: ColumnAction | undefined): CountsDraft | undefined {
  const known = walk.drafts.get(path);
  if (known !== undefined) return known;
  if (walk.drafts.size >= MAX_PATHS) {
    walk.isCut = true;
    return undefined;
  }
  const [found, suspicions, examples] = [new Map(), new Map(), new Map()];
  const draft = {
    values: 0,
    found,
    suspicions,
    examples,
    action,
    numbers: 0,
    least: Infinity,
    greatest: -Infinity,
    visible: 0,
  };
  walk.drafts.set(path, draft);
  return draft;
}

function note<T extends DetectorName | Suspicion>(
  counts: Map<T, number>,
  { examples }: CountsDraft,
  what: T,
  value: string,
): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
  if (!examples.has(what)) examples.set(what, shapeOf(value));
}

function finished(path: string, draft: CountsDraft, now: number): InspectedPath {
  const { values, found, suspicions, examples, action, numbers, least, greatest, visible } = draft;
  if (action === undefined) {
    const like = numbers > 1 && numbers === values ? numbersLookLike({ least, greatest }, now) : undefined;
    if (like !== undefined) suspicions.set(like, numbers);
    if (isPersonalName(path) && (visible > 0 || numbers > 0))
      suspicions.set('name', Math.max(visible, numbers));
  }
  return { path, values, found, action, suspicions, examples };
}

const MAX_SHAPE = 40;

/** The form of a value without its letters and digits. */
export function shapeOf(value: string): string {
  const shape = value.slice(0, MAX_SHAPE);
  const masked = shape
    .replaceAll(/\p{N}/gu, '9')
    .replaceAll(/[^\s\d.,:;@/\\|"'()[\]{}<>=+_#%&?!*~^$-]/gu, 'x');
  return shape.length < value.length ? `${masked}…` : masked;
}
