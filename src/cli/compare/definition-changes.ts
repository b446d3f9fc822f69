// Changes of the definitions behind a query whose model names only the table, dictionary or view.
import type { Definitions } from '../../service/endpoints/definitions.ts';
import type { QueryModel } from '../../guard/query/model.ts';
import type { ModelChange } from './model-change.ts';

/** The sources of a query whose definition changed, once each. */
export function* compareDefinitions(
  model: QueryModel,
  before: Definitions,
  after: Definitions,
): Generator<ModelChange> {
  const seen = new Set<string>();
  for (const source of model.sources) {
    const { name } = source;
    const [old, now] = [find(before, name), find(after, name)];
    if (seen.has(name) || old === undefined || now === undefined) continue;
    seen.add(name);
    if (old.source !== now.source)
      yield {
        code: 'query.source_redefined',
        message: `reads ${name}, whose definition changed`,
        source,
      };
    for (const [column, expression] of now.columns) {
      const former = old.columns.get(column);
      if (former === undefined || former === expression || !isUsed(model, name, column)) continue;
      yield {
        code: 'query.source_redefined',
        message: `reads ${name}.${column}, which is now ${expression}, was ${former}`,
        source,
      };
    }
  }
}

/** A table or view that a query names and whose definition changed; undefined if there is none. */
export function redefinedIn(query: string, before: Definitions, after: Definitions): string | undefined {
  return [...after.keys()].find((name) => {
    const [old, now] = [before.get(name), after.get(name)];
    return (
      old !== undefined && old.source !== now?.source && query.includes(name.slice(name.indexOf('.') + 1))
    );
  });
}

function find(definitions: Definitions, name: string): ReturnType<Definitions['get']> {
  return definitions.get(name) ?? definitions.get(`default.${name}`);
}

/** Long texts are hashes, which may contain it. */
function isUsed({ text, columns }: QueryModel, table: string, column: string): boolean {
  const name = `${table}.${column}`;
  return (
    text.includes(name) ||
    text.startsWith('#') ||
    columns.some(({ flow }) => flow.some((each) => `${each.table}.${each.column}`.startsWith(name)))
  );
}
