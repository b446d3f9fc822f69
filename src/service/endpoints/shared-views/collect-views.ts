// The shared views of a folder, by their endpoints: a file with errors keeps the view that it declared before.
import type { Finding, PathFinding } from '../../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { locateAll } from '../../config/locate-finding.ts';
import type { ViewFile } from '../../config/generated/view.ts';
import type { Catalog } from '../catalog.ts';
import type { CheckEntry } from '../checks/check.ts';
import type { EndpointHead } from '../endpoint.ts';
import { isBroken, type LoadedFiles } from '../load.ts';
import type { ViewDeclaration } from './read-view.ts';
import { VIEW_FILE_CODES } from './view-codes.ts';

/** Views are checked against this; an endpoint that a command has not compiled has no more than its name. */
type ViewedEndpoint = EndpointHead & {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly sandbox?: {
    readonly enabled: boolean;
    readonly languages: ReadonlySet<string> | readonly string[];
  };
};

export interface CollectedViews {
  /** The last good versions, by the path of their file. */
  readonly byFile: ReadonlyMap<string, ViewDeclaration>;
  /** The key is the id of their endpoint; they are sorted by name. */
  readonly byEndpoint: ReadonlyMap<string, readonly ViewFile[]>;
  readonly findings: readonly Finding[];
}

interface ViewInput {
  readonly files: LoadedFiles<EndpointHead>;
  readonly catalog: Catalog<EndpointHead>;
}

/** Reading the files finds the others. */
export const VIEW_FILE_CHECK: CheckEntry<'catalog', Finding, ViewInput> = {
  needs: 'catalog',
  codes: VIEW_FILE_CODES,
  check: (input) => collectViews(input).findings,
};

/** `before` are those of the last good versions of the files. */
export function collectViews(
  { files, catalog }: ViewInput,
  before: CollectedViews['byFile'] = new Map(),
): CollectedViews {
  const byFile = new Map<string, ViewDeclaration>();
  const byEndpoint = new Map<string, readonly ViewFile[]>();
  const findings: Finding[] = [];
  for (const file of files.values()) {
    const declared = isBroken(file) ? before.get(file.file) : file.view;
    if (declared === undefined) continue;
    byFile.set(file.file, declared);
    const { view, document } = declared;
    const endpoint = catalog.find(view.endpoint);
    const others = endpoint === undefined ? [] : (byEndpoint.get(endpoint.id) ?? []);
    const faults =
      endpoint === undefined ? [endpointUnknown(view, catalog)] : faultsOf(view, endpoint, others);
    findings.push(...locateAll(document, faults));
    if (endpoint !== undefined && faults.length === 0) byEndpoint.set(endpoint.id, sorted([...others, view]));
  }
  return { byFile, byEndpoint, findings };
}

function sorted(views: readonly ViewFile[]): readonly ViewFile[] {
  return views.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function endpointUnknown({ endpoint }: ViewFile, catalog: Catalog<EndpointHead>): PathFinding {
  const hint = didYouMean(
    nearest(
      endpoint,
      catalog.endpoints.map(({ name }) => name),
    ),
  );
  return {
    code: 'shared_view.endpoint_unknown',
    path: ['endpoint'],
    message: `there is no endpoint ${endpoint}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

function faultsOf(
  view: ViewFile,
  endpoint: ViewedEndpoint,
  others: readonly ViewFile[],
): readonly PathFinding[] {
  const { parameters, sandbox } = endpoint;
  const unknown = Object.keys(view.parameters ?? {}).filter(
    (name) => parameters !== undefined && !(name in parameters),
  );
  const language =
    view.sql !== undefined ? 'sql' : view.logs !== undefined || view.lql !== undefined ? 'lql' : undefined;
  const isAccepted =
    language === undefined ||
    sandbox === undefined ||
    (sandbox.enabled && [...sandbox.languages].includes(language));
  return [
    ...(others.some(({ name }) => name === view.name)
      ? [
          {
            code: 'shared_view.duplicate_name',
            path: ['name'],
            message: `${endpoint.name} has a view named "${view.name}" already`,
          },
        ]
      : []),
    ...unknown.map((name) => {
      const hint = didYouMean(nearest(name, Object.keys(parameters ?? {})));
      return {
        code: 'shared_view.parameter_unknown',
        path: ['parameters', name],
        message: `${endpoint.name} has no parameter ${name}`,
        ...(hint === undefined ? {} : { hint }),
      };
    }),
    ...(isAccepted
      ? []
      : [
          {
            code: 'shared_view.query_disabled',
            path: [view.sql !== undefined ? 'sql' : view.lql !== undefined ? 'lql' : 'logs'],
            message: `${endpoint.name} accepts no consumer queries in ${language.toUpperCase()}`,
          },
        ]),
  ];
}
