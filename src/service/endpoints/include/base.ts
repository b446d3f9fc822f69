// What a file has on its own, before anything is included.
import type { PathFinding } from '../../../sql/base/finding.ts';
import type { EndpointFile, Include } from '../../config/generated/endpoint.ts';
import type { SharedFile } from '../../config/generated/shared.ts';
import type { YamlDocument } from '../../config/yaml-document.ts';
import { bindPlaceholders } from '../../../sql/clickhouse/placeholders.ts';
import { outlineOf } from '../../../sql/clickhouse/outline.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { tokensOf } from '../../../sql/clickhouse/tree/tokens.ts';
import { tablesIn, type Part, type Placed } from './part.ts';
import { slicePieces, type Piece } from './pieces.ts';

/** A file without what it includes. */
export interface Base extends Part {
  readonly includes: readonly Include[];
  /** Errors because of which nothing can be put together. */
  readonly findings: readonly PathFinding[];
  /** Keys of endpoint files that the file has itself, `sandbox.functions` among them. */
  readonly keys: ReadonlySet<string>;
}

/** The base of an endpoint file; errors in its query are found later, in the composed one. */
export function endpointBase(name: string, document: YamlDocument, file: EndpointFile): Base {
  const pieces = [{ text: file.query, origin: { document, path: ['query'], offset: 0 } }];
  const { cursor } = tokensOf(file.query);
  const last = cursor.length - 1;
  const { functions } = file.sandbox ?? {};
  // A comment at the end can be that of an optional part.
  const isEnd = cursor.text(last) === ';';
  const query = slicePieces(pieces, 0, isEnd ? cursor.start(last) : file.query.length);
  const tables = tablesIn(query);
  const isDeclaration = (key: string): boolean => key === 'rollups' && Array.isArray(file.rollups);
  const keys = Object.entries(file).flatMap(([key, value]) =>
    value === undefined || isDeclaration(key) ? [] : key,
  );
  return {
    name,
    document,
    query,
    tables,
    ownTables: () => tables()?.names ?? [],
    parameters: placed(document, ['parameters'], file.parameters),
    policies: new Map(),
    includes: file.include ?? [],
    findings: [],
    keys: new Set([...keys, ...(functions === undefined ? [] : ['sandbox.functions'])]),
    restrictions: restrictionsIn(keys),
  };
}

/** The base of a shared file: its tables are checked one by one, so that none can end the text around it. */
export function sharedBase(name: string, document: YamlDocument, file: SharedFile): Base {
  const tables = Object.entries(file.tables ?? {});
  const key = { document, path: ['tables'], offset: 'key' } as const;
  const elements = tables.flatMap(([table, text], index): readonly Piece[] => {
    const origin = { document, path: ['tables', table] };
    return [
      { text: `${index === 0 ? 'WITH' : ','}\n${table} AS (\n`, origin: { ...origin, offset: 'key' } },
      { text, origin: { ...origin, offset: 0 } },
      { text: '\n)', origin: { ...origin, offset: 'key' } },
    ];
  });
  const query = [...elements, { text: `${tables.length === 0 ? '' : '\n'}SELECT 1`, origin: key }];
  return {
    name,
    document,
    query,
    tables: tablesIn(query),
    ownTables: () => tables.map(([table]) => table),
    parameters: placed(document, ['parameters'], file.parameters),
    policies: placed<unknown>(document, ['policies'], file.policies),
    includes: file.include ?? [],
    findings: tables.flatMap(([table, text]) => faultsIn(table, text)),
    keys: new Set(Object.keys(file.policies ?? {})),
    restrictions: restrictionsIn(Object.keys(file.policies ?? {})),
  };
}

function restrictionsIn(keys: readonly string[]): ReadonlySet<string> {
  return new Set(['pii', 'tenancy', 'budget'].filter((key) => keys.includes(key)));
}

function placed<T>(
  document: YamlDocument,
  path: readonly string[],
  values: Readonly<Record<string, T>> = {},
): ReadonlyMap<string, Placed<T>> {
  return new Map(
    Object.entries(values).map(([name, value]) => [name, { value, document, path: [...path, name] }]),
  );
}

/** What keeps the text of a table from being one SELECT. */
function faultsIn(table: string, text: string): readonly PathFinding[] {
  const { findings, tokens, sql } = bindPlaceholders(text, () => undefined);
  const all = findings.length > 0 ? findings : outlineOf(parseSavedText(sql, tokens)).findings;
  const semicolon = text.trimEnd().endsWith(';') ? text.lastIndexOf(';') : -1;
  return [
    ...all.map(({ code, start, message }) => ({ code, path: ['tables', table], offset: start, message })),
    ...(all.length === 0 && semicolon >= 0
      ? [
          {
            code: 'query.several_statements',
            path: ['tables', table],
            offset: semicolon,
            message: 'a shared table is one SELECT, without ;',
          },
        ]
      : []),
  ];
}
