// Redaction rules for columns, or parts of columns, that neither the result nor a table for consumer queries has: they redact nothing.
import type { Column } from '../engine/engine.ts';
import { jsonValueOf, type JsonValue } from '../../sql/types/json-value.ts';
import { foldedName } from '../../guard/redact/columns.ts';
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

/** Resolves to the columns that rules may apply to, in all variants; undefined if the engine cannot describe them. */
export async function ruledColumns(
  describe: DescribeColumns,
  endpoint: Pick<Endpoint, 'variants'>,
): Promise<readonly Column[] | undefined> {
  const columns: Column[] = [];
  for await (const part of partsOf(describe, endpoint)) {
    if (part === undefined) return undefined;
    columns.push(...part);
  }
  return columns;
}

/** The first rule that applies to nothing, if there is one; undefined if the engine cannot say. It describes no more than that needs. */
export async function findIdleRule(
  describe: DescribeColumns,
  endpoint: Pick<Endpoint, 'variants'>,
  paths: readonly string[],
): Promise<{ readonly reason: string | undefined } | undefined> {
  const columns: Column[] = [];
  for await (const part of partsOf(describe, endpoint)) {
    if (part === undefined) return undefined;
    columns.push(...part);
    if (columns.length > 0 && paths.every((path) => unknownRule(path, columns) === undefined)) break;
  }
  const [reason] = paths.flatMap((path) => {
    const unknown = unknownRule(path, columns);
    return unknown === undefined ? [] : [unknownRuleText(path, unknown)];
  });
  return { reason };
}

async function* partsOf(
  describe: DescribeColumns,
  { variants }: Pick<Endpoint, 'variants'>,
): AsyncGenerator<readonly Column[] | undefined> {
  for (const variant of variants()) {
    yield await describe.result(variant);
    // At the source, rules apply to the columns of the tables, and then to those of the result.
    if (variant.redaction.at === 'source') yield (await describe.source(variant))?.stored;
    if (variant.sandbox.enabled) yield (await describe.tables(variant))?.flatMap((table) => table.columns);
  }
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
    : `${at} has no part ${path.split('.').slice(at.split('.').length).join('.')}`;
}

/** Returns whether a column of this type has the part that a path such as `metadata.project` names. */
export function hasPart(column: string, type: string, path: string): boolean {
  const names = foldedPath(path)
    .slice(foldedPath(column).length + 1)
    .split('.');
  return unknownPart(jsonValueOf(type), names, column) === undefined;
}

function unknownPart(value: JsonValue, names: readonly string[], at: string): UnknownPart | undefined {
  if (names.length === 0) return undefined;
  switch (value.kind) {
    case 'nullable':
      return unknownPart(value.inner, names, at);
    case 'array':
      return unknownPart(value.element, names, at);
    case 'record': {
      const failures = [...value.members].flatMap(([name, member]) => {
        const own = foldedName(name).split('.'); // such a name is a path, as that of a column
        const isOnPath = own.slice(0, names.length).every((part, index) => part === names[index]);
        return isOnPath ? [unknownPart(member, names.slice(own.length), `${at}.${name}`)] : [];
      });
      return firstFailure(failures, { at, names: [...value.members.keys()] });
    }
    case 'tuple': // as arrays, it is transparent: its elements have no names
      return firstFailure(
        value.elements.map((element) => unknownPart(element, names, at)),
        { at, names: [] },
      );
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
      return { at, names: [] };
  }
}

/** Undefined if the rest of a path is known in any of the values. */
function firstFailure(
  values: readonly (UnknownPart | undefined)[],
  none: UnknownPart,
): UnknownPart | undefined {
  return values.includes(undefined) ? undefined : (values[0] ?? none);
}
