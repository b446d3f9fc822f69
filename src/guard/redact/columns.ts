// Rules by column or by path, such as metadata.user.name: mask, hash or drop.
import { plainPath } from './subcolumn-name.ts';

export type ColumnAction = 'mask' | 'hash' | 'drop';

/** The rules that apply at a position in a row and below it. */
export interface ColumnRules {
  /** The action for the value at this position. */
  readonly action: ColumnAction | undefined;
  readonly byName: ReadonlyMap<string, ColumnRules>;
}

interface RuleDraft {
  action: ColumnAction | undefined;
  readonly byName: Map<string, RuleDraft>;
}

/**
 * Compiles rules to a tree of names; undefined if there are none. Names are case-insensitive, because a query may spell its
 * columns in any case, and the same in each Unicode form. Arrays on a path are transparent.
 */
export function compileColumns(columns: Readonly<Record<string, ColumnAction>>): ColumnRules | undefined {
  const root = newDraft();
  for (const [path, action] of Object.entries(columns)) {
    let node = root;
    for (const name of namesOf(path)) {
      const next = node.byName.get(name) ?? newDraft();
      node.byName.set(name, next);
      node = next;
    }
    node.action = action;
  }
  return root.byName.size === 0 ? undefined : root;
}

function newDraft(): RuleDraft {
  return { action: undefined, byName: new Map() };
}

/**
 * The rules below `key`. A key that contains dots, such as a column `metadata.user.name`, is resolved as a path, also with types in it
 * (``metadata.user.name.:`String` ``); an action on a parent applies to its parts.
 */
export function rulesBelow(rules: ColumnRules, key: string): ColumnRules | undefined {
  if (!key.includes('.')) return rules.byName.get(foldedName(key));
  let node: ColumnRules | undefined = rules;
  for (const name of namesOf(key)) {
    node = node?.byName.get(name);
    if (node?.action !== undefined) return node;
  }
  return node;
}

function namesOf(path: string): readonly string[] {
  return foldedName(plainPath(path)).split('.');
}

/** Returns a name in lower case and in NFC, in which names are compared. */
export function foldedName(name: string): string {
  return /[^\0-\x7f]/.test(name) ? name.normalize('NFC').toLowerCase().normalize('NFC') : name.toLowerCase();
}
