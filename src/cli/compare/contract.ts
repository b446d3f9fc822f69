// The contract of an endpoint file: parsed and compiled once, to be compared with another revision.
import type { Analysis } from '../../service/endpoints/analysis.ts';
import { assembleCatalog, type Candidate } from '../../service/endpoints/catalog.ts';
import type { InspectFile } from '../../service/endpoints/compile.ts';
import type { TableColumns } from '../../service/endpoints/read-tables.ts';
import type { Endpoint } from '../../service/endpoints/endpoint.ts';
import { declaresEndpoint } from '../../service/endpoints/file-kinds.ts';
import { sourcesIn } from '../../service/endpoints/include/sources.ts';
import type { TenancySetting } from '../../service/endpoints/tenancy.ts';
import { parseYaml } from '../../service/config/yaml-document.ts';
import type { Finding, PathFinding } from '../../sql/base/finding.ts';
import type { Column } from '../../service/engine/engine.ts';
import { readQuery, type Query } from './query.ts';
import { rollupsIn } from './rollup-changes.ts';
import { NO_REASONS, reasonsIn, type Reasons } from './written-reasons.ts';

/** One file of a revision; `path` is relative to the root of the repository. */
export interface SourceFile {
  readonly path: string;
  /** A finding instead if the file cannot be read. */
  readonly text: string | Finding;
}

export interface Contract {
  readonly endpoint: Endpoint;
  readonly analysis: Analysis;
  readonly query: Query;
  /** The setting of its revision. */
  readonly tenancy?: RevisionTenancy | undefined;
}

/** The setting `tenancy` of a revision, and where it is; `line` is 1-based. */
export interface RevisionTenancy {
  readonly setting: TenancySetting;
  readonly file: string;
  readonly line: number;
}

/** A file that does not define an endpoint. */
export interface BrokenFile {
  readonly path: string;
  /** As far as they can be read. */
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly reasons: Reasons;
  /** At least one. */
  readonly findings: readonly Finding[];
}

export interface EndpointColumns {
  readonly result: readonly Column[];
  readonly tables: readonly TableColumns[];
}

/** The contracts of a revision. */
export interface Contracts {
  /** Undefined: none. */
  readonly rollups?: ReturnType<typeof rollupsIn>;
  /** In the order of the files. */
  readonly served: readonly Contract[];
  readonly broken: readonly BrokenFile[];
}

/** A change between two contracts, at a path of the new file. */
export interface ContractChange<Code extends string> extends PathFinding {
  readonly code: Code;
}

/** Reads the files of one revision; `all` are its files that these may include, by default the same. */
export function readContracts(
  files: readonly SourceFile[],
  inspect: InspectFile,
  tenancy?: RevisionTenancy,
  all: readonly SourceFile[] = files,
): Contracts {
  const sources = sourcesIn(all);
  const endpoints = files.filter(({ path }) => declaresEndpoint(path)); // an error in a shared file is one of those that include it
  const inspectWith: InspectFile = (path, text) => inspect(path, text, sources);
  const read = endpoints.map((file) => readFile(file, inspectWith, tenancy));
  const { catalog, diagnostics } = assembleCatalog(read.flatMap((each) => each.candidate ?? []));
  const isServed = ({ endpoint }: Contract): boolean => catalog.find(endpoint.id) === endpoint;
  return {
    rollups: rollupsIn(files),
    served: read.flatMap(({ contract }) => (contract !== undefined && isServed(contract) ? contract : [])),
    broken: read.flatMap(({ contract, broken }) => {
      if (contract === undefined) return broken;
      if (isServed(contract)) return [];
      const { id, name, file } = contract.endpoint;
      const reasons = contract.analysis.file;
      return { path: file, id, name, reasons, findings: diagnostics.filter((found) => found.file === file) };
    }),
  };
}

type ReadFile =
  | { readonly candidate: Candidate; readonly contract: Contract; readonly broken?: undefined }
  | { readonly broken: BrokenFile; readonly candidate?: undefined; readonly contract?: undefined };

function readFile(
  { path, text }: SourceFile,
  inspect: InspectFile,
  tenancy: RevisionTenancy | undefined,
): ReadFile {
  if (typeof text !== 'string') return { broken: { path, ...NAMELESS, findings: [text] } };
  const { inspected, diagnostics } = inspect(path, text);
  if (inspected === undefined) {
    const parsed = parseYaml(path, text);
    const names = 'document' in parsed ? namesIn(parsed.document.value) : NAMELESS;
    return { broken: { path, ...names, findings: diagnostics } };
  }
  const { candidate, analysis } = inspected;
  return {
    candidate,
    contract: { endpoint: candidate.endpoint, analysis, query: readQuery(analysis), tenancy },
  };
}

type BrokenFileNames = Pick<BrokenFile, 'id' | 'name' | 'reasons'>;

const NAMELESS: BrokenFileNames = { id: undefined, name: undefined, reasons: NO_REASONS };

function namesIn(value: unknown): BrokenFileNames {
  if (typeof value !== 'object' || value === null) return NAMELESS;
  const { id, name }: Partial<Record<'id' | 'name', unknown>> = value;
  return { id: textOf(id)?.toLowerCase(), name: textOf(name), reasons: reasonsIn(value) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
