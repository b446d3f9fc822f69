// Changes of rollups: what inserts and queries cost, and which queries can return values of merged groups.
import { type ChangeText, behaviour, compatible, cost, type ChangeKinds } from './change-kinds.ts';
import { schemaOf } from '../../service/endpoints/file-kinds.ts';
import { readRollupsOf, type RollupDeclaration } from '../../service/endpoints/rollups/read-rollups.ts';

export const ROLLUP_CHANGES = {
  'rollup.added': cost(
    'A rollup was added',
    'Each insert into its table computes its groups as well. Queries read it where the result is the same.',
  ),
  'rollup.removed': cost('A rollup was removed', 'Queries that were answered from it read the rows.'),
  'rollup.changed': cost(
    'A rollup has another definition',
    'It is another version, which is created and filled beside the one in use, until it is equal to its rows.',
  ),
  'rollup.approximate': behaviour(
    'A measure is approximate',
    'Queries with it are answered from merged groups, whose result can differ from that of the rows: the last digits of a sum of Float, an estimated quantile.',
  ),
  'rollup.kept': compatible(
    'A rollup keeps its buckets for another time, or they settle later or earlier',
    'Its tables and what queries return stay as they are.',
  ),
} as const satisfies ChangeKinds;

/** A change of a rollup, at a 1-based line. */
export interface RollupChange extends ChangeText {
  readonly code: keyof typeof ROLLUP_CHANGES;
}

/** The rollups of the files without errors, in their order. */
export function rollupsIn(
  files: readonly { readonly path: string; readonly text: unknown }[],
): readonly RollupDeclaration[] {
  return files.flatMap(({ path, text }) =>
    typeof text === 'string' && mayDeclare(path, text) ? (readRollupsOf(path, text).rollups ?? []) : [],
  );
}

/** A key of this name is written in any way. */
function mayDeclare(path: string, text: string): boolean {
  return schemaOf(path) !== 'view' && text.includes('rollups');
}

export function compareRollups(
  base: readonly RollupDeclaration[],
  head: readonly RollupDeclaration[],
): readonly RollupChange[] {
  const [before, now] = [byName(base), byName(head)];
  const added = head.filter(({ rollup }) => !before.has(rollup.name));
  const removed = base.filter(({ rollup }) => !now.has(rollup.name));
  return [
    ...added.map((each) => changeAt(each, 'rollup.added', `of ${sourceOf(each)}`)),
    ...added.flatMap((each) => approximateChanges(undefined, each)),
    ...removed.map((each) => changeAt(each, 'rollup.removed', `of ${sourceOf(each)}`)),
    ...head.flatMap((each) => {
      const old = before.get(each.rollup.name);
      return old === undefined ? [] : changesOfTwo(old, each);
    }),
  ];
}

function byName(all: readonly RollupDeclaration[]): ReadonlyMap<string, RollupDeclaration> {
  return new Map(all.map((each) => [each.rollup.name, each]));
}

function sourceOf({ rollup: { source } }: RollupDeclaration): string {
  return `${source.database}.${source.table}`;
}

function changeAt(
  { rollup: { name }, document, index }: RollupDeclaration,
  code: RollupChange['code'],
  message: string,
): RollupChange {
  const { line } = document.locate(['rollups', index, 'name']);
  return { code, message: `${name}: ${message}`, file: document.file, line };
}

function changesOfTwo(old: RollupDeclaration, now: RollupDeclaration): readonly RollupChange[] {
  const isSame = old.rollup.version === now.rollup.version;
  const isKept = old.keepDays === now.keepDays && old.settleSeconds === now.settleSeconds;
  const versions = `version ${old.rollup.version} → ${now.rollup.version}`;
  const times = `${timesOf(old)} → ${timesOf(now)}`;
  return [
    ...(isSame ? [] : [changeAt(now, 'rollup.changed', versions)]),
    ...approximateChanges(old, now),
    ...(isKept ? [] : [changeAt(now, 'rollup.kept', times)]),
  ];
}

function timesOf({ keepDays, settleSeconds }: RollupDeclaration): string {
  return `keep ${keepDays === undefined ? 'all' : `${keepDays}d`}, settle ${settleSeconds}s`;
}

function approximateChanges(
  old: RollupDeclaration | undefined,
  now: RollupDeclaration,
): readonly RollupChange[] {
  const before = new Set(
    old?.rollup.measures.flatMap(({ name, approximate }) => (approximate ? [name] : [])),
  );
  return now.rollup.measures
    .filter(({ name, approximate }) => approximate && !before.has(name))
    .map(({ name }) => changeAt(now, 'rollup.approximate', name));
}
