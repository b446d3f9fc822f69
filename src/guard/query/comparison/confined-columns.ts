// By which columns each parameter confines the sources of a query.
import type { QueryModel } from '../model.ts';
import { childrenOf, expressionsIn, inputsOf, type Expression, type Relation } from '../tree/nodes.ts';
import { refOf } from '../confinement/values.ts';

/** By the name of a source and of a parameter that confines every read of it: the columns that do so alone. */
export type ConfinedColumns = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** Columns that are tried; others count as columns that do not confine. */
const MAX_COLUMNS = 60;

const known = new WeakMap<QueryModel, ConfinedColumns>();

export function confinedColumns(model: QueryModel): ConfinedColumns {
  const before = known.get(model);
  if (before !== undefined) return before;
  const found = find(model);
  known.set(model, found);
  return found;
}

function find({ root, sources, parameters, confine }: QueryModel): ConfinedColumns {
  const columns = columnsIn(root).slice(0, MAX_COLUMNS);
  const names = new Set(sources.filter((each) => !each.isShared).map(({ name }) => name));
  const found = new Map([...names].map((name) => [name, new Map<string, ReadonlySet<string>>()]));
  for (const parameter of parameters) {
    const able = [...names].filter((name) => isConfinedBy(sources, name, parameter.name));
    if (able.length === 0) continue;
    const tried = columns.map((column) => ({ column, confined: confine(parameter, new Set([column])) }));
    for (const name of able) {
      const ids = sources.filter((each) => each.name === name).map(({ id }) => id);
      const sufficient = tried.filter(({ confined }) => ids.every((id) => confined.get(id) === true));
      found.get(name)?.set(parameter.name, new Set(sufficient.map(({ column }) => column)));
    }
  }
  return found;
}

function isConfinedBy(sources: QueryModel['sources'], name: string, parameter: string): boolean {
  return sources.every((each) => each.name !== name || each.confinedBy.includes(parameter));
}

/** The names of the columns of tables that the query uses, parts of columns such as `meta.project` included. */
function columnsIn(root: Relation): readonly string[] {
  const found = new Set<string>();
  const visitExpression = (expression: Expression): void => {
    const ref = refOf(expression);
    if (ref !== undefined) found.add(ref.slice(ref.indexOf('.') + 1));
    if (expression.kind === 'subquery') visit(expression.query);
    for (const child of childrenOf(expression)) visitExpression(child);
  };
  const visit = (relation: Relation): void => {
    for (const expression of expressionsIn(relation)) visitExpression(expression);
    for (const input of inputsOf(relation)) visit(input);
  };
  visit(root);
  return [...found];
}
