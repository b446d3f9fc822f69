// Rules by name: which columns, or paths such as metadata.user.name, are masked, hashed or dropped.

export type ColumnAction = 'mask' | 'hash' | 'drop';

/** The rules that hold below a place in a row. */
export interface ColumnRules {
  /** What is done to the value here. */
  readonly action: ColumnAction | undefined;
  readonly byName: ReadonlyMap<string, ColumnRules>;
}

interface Draft {
  action: ColumnAction | undefined;
  readonly byName: Map<string, Draft>;
}

/**
 * Rules as a tree of names; undefined where there are none. Letters count in either case, since a query may write its
 * columns as it likes; arrays on the way to a name are looked through.
 */
export function compileColumns(columns: Readonly<Record<string, ColumnAction>>): ColumnRules | undefined {
  const root = newDraft();
  for (const [path, action] of Object.entries(columns)) {
    let place = root;
    for (const name of namesOf(path)) {
      const next = place.byName.get(name) ?? newDraft();
      place.byName.set(name, next);
      place = next;
    }
    place.action = action;
  }
  return root.byName.size === 0 ? undefined : root;
}

function newDraft(): Draft {
  return { action: undefined, byName: new Map() };
}

/**
 * The rules below `key`. A key with dots in it, as of a column `metadata.user.name`, is a path of its own, and what is done
 * to the whole is done to a part.
 */
export function rulesBelow(rules: ColumnRules, key: string): ColumnRules | undefined {
  if (!key.includes('.')) return rules.byName.get(key.toLowerCase());
  let place: ColumnRules | undefined = rules;
  for (const name of namesOf(key)) {
    place = place?.byName.get(name);
    if (place?.action !== undefined) return place;
  }
  return place;
}

function namesOf(path: string): readonly string[] {
  return path.toLowerCase().split('.');
}
