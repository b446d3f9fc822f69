// Redaction rules for columns, or parts of columns, that neither the result nor a table for consumer queries has: they redact nothing.
import type { Column } from '../engine/engine.ts';
import { jsonValueOf, type JsonValue } from '../../sql/types/json-value.ts';
import { foldedPath } from './column-rules.ts';
import type { Endpoint } from './endpoint.ts';

/** A path leaves the type of a column here: the part that is known, '' if no column is, and the names below it. */
export interface UnknownPart {
  readonly at: string;
  readonly names: readonly string[];
}

/** It describes what rules apply to; undefined results mean that the engine cannot now. */
interface DescribeColumns {
  readonly result: (endpoint: Endpoint) => Promise<readonly Column[] | undefined>;
  readonly source: (endpoint: Endpoint) => Promise<{ readonly stored: readonly Column[] } | undefined>;
  readonly tables: (
    endpoint: Endpoint,
  ) => Promise<readonly { readonly columns: readonly Column[] }[] | undefined>;
}

/** What rules may apply to, in all variants; undefined if the engine cannot describe it. */
export async function ruledColumns(
  describe: DescribeColumns,
  endpoint: Pick<Endpoint, 'variants'>,
): Promise<readonly Column[] | undefined> {
  const columns: Column[] = [];
  for (const variant of endpoint.variants()) {
    const result = await describe.result(variant);
    const readable = variant.sandbox.enabled ? await describe.tables(variant) : [];
    if (result === undefined || readable === undefined) return undefined;
    // At the source, rules apply to the columns of the tables, and then to those of the result.
    const source = variant.redaction.at === 'source' ? await describe.source(variant) : { stored: [] };
    if (source === undefined) return undefined;
    columns.push(...result, ...source.stored, ...readable.flatMap((table) => table.columns));
  }
  return columns;
}

/** Undefined if any of the columns has the column or path. Names are compared without case, as redaction does. */
export function unknownRule(path: string, columns: readonly Column[]): UnknownPart | undefined {
  const folded = foldedPath(path);
  const failures = columns.flatMap((column): readonly UnknownPart[] => {
    const name = foldedPath(column.name);
    if (name === folded || name.startsWith(`${folded}.`)) return [];
    if (!folded.startsWith(`${name}.`)) return [{ names: columns.map((each) => each.name), at: '' }];
    const names = folded.slice(name.length + 1).split('.');
    const failure = unknownPart(jsonValueOf(column.type), names, column.name);
    return failure === undefined ? [] : [failure];
  });
  if (failures.length < columns.length) return undefined;
  return failures.toSorted((a, b) => b.at.length - a.at.length)[0];
}

export function unknownRuleText(path: string, { at }: UnknownPart): string {
  return at === ''
    ? `neither the result nor a table for consumer queries has a column ${path}`
    : `${at} has no part ${path.slice(at.length + 1)}`;
}

/** Returns whether a column of this type has the part that a path such as `metadata.project` names. */
export function hasPart(column: string, type: string, path: string): boolean {
  const names = foldedPath(path)
    .slice(column.length + 1)
    .split('.');
  return unknownPart(jsonValueOf(type), names, column) === undefined;
}

function unknownPart(value: JsonValue, names: readonly string[], at: string): UnknownPart | undefined {
  const [first, ...others] = names;
  if (first === undefined) return undefined;
  switch (value.kind) {
    case 'nullable':
      return unknownPart(value.inner, names, at);
    case 'array':
      return unknownPart(value.element, names, at);
    case 'record': {
      const found = [...value.members].find(([name]) => name.toLowerCase() === first);
      if (found === undefined) return { at, names: [...value.members.keys()] };
      return unknownPart(found[1], others, `${at}.${found[0]}`);
    }
    case 'map':
    case 'object':
    case 'any':
      return undefined;
    case 'boolean':
    case 'decimal':
    case 'enum':
    case 'float':
    case 'integer':
    case 'null':
    case 'string':
    case 'tuple':
      return { at, names: [] };
  }
}
