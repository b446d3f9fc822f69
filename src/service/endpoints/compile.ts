// Compiles the text of a file to an endpoint: parse, validate, compose, check, build. Reports all findings at once.
import { locateAll } from '../config/locate-finding.ts';
import { epoch } from '../../sql/base/clock.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { EngineSources } from '../../sql/clickhouse/outside-sources.ts';
import type { EndpointFile } from '../config/generated/endpoint.ts';
import type { YamlDocument } from '../config/yaml-document.ts';
import { analyse, type Analysis } from './analysis.ts';
import type { Candidate } from './catalog.ts';
import { createCompose, type Composition } from './include/compose.ts';
import { isSharedFile, NO_SOURCES, type SourceFile, type Sources } from './include/sources.ts';
import { checkFile } from './checks/file-checks.ts';
import { buildEndpoint } from './build-endpoint.ts';
import type { TenancySetting } from './tenancy.ts';
import { overVariants } from './variant-findings.ts';

/** The result for one file: an endpoint, or findings, or an endpoint with warnings. */
export interface CompiledFile {
  /** Undefined if any finding is an error. */
  readonly candidate: Candidate | undefined;
  readonly diagnostics: readonly Finding[];
  /** The files that it includes, those that are missing among them, and those that they include. */
  readonly dependencies: readonly SourceFile[];
  /** Undefined: it is not known, since the file has errors. */
  readonly rollups?: Composition['rollups'];
  /** A file has it if it declares a shared view. */
  readonly view?: Composition['view'];
  /** Names of files to read before the file can be compiled; not empty: there is no other result yet. */
  readonly unread: readonly string[];
}

/**
 * Compiles one file; never throws for its contents. `sources` are the other files of its folder; default: there are none. Shared
 * files have findings, but no candidate.
 */
export type CompileFile = (path: string, text: string, sources?: Sources) => CompiledFile;

/** The same, with the intermediate results of a file. */
export type InspectFile = (path: string, text: string, sources?: Sources) => Inspection;

/** The result of `InspectFile`. */
export interface Inspection extends Omit<CompiledFile, 'candidate'> {
  readonly inspected: InspectedFile | undefined;
  /** The same; a file whose only errors are in its id and name has it as well, with others, for the checks that depend on neither. */
  readonly checkable: InspectedFile | undefined;
}

/** A file without errors, as it is with all that it includes, with the intermediate results that further checks need. */
export interface InspectedFile {
  readonly document: YamlDocument;
  readonly analysis: Analysis;
  readonly candidate: Candidate;
}

/** What compilation needs besides the file. */
export interface CompileOptions {
  /** The secret for hashing columns; undefined: a file with hashed columns does not compile. */
  readonly piiHashKey: string | undefined;
  /** The setting; default: none. */
  readonly tenancy?: TenancySetting;
  /** The sources that queries may reach outside of the tables; by default they may reach none. */
  readonly engineSources?: EngineSources;
  /** Milliseconds since 1970; default: the clock of the process. */
  readonly now?: () => number;
}

/** Compiles the schema once; the function it returns compiles files and has no other state. */
export function createCompile(options: CompileOptions): CompileFile {
  const inspect = createInspect(options);
  return (path, text, sources) => {
    const { inspected, checkable: _checkable, ...rest } = inspect(path, text, sources);
    return { candidate: inspected?.candidate, ...rest };
  };
}

/** Compiles the schemas once, as `createCompile` does. */
export function createInspect(options: CompileOptions): InspectFile {
  const compose = createCompose();
  return (path, text, sources = NO_SOURCES) => {
    const { composed, ...rest } = compose(path, text, sources);
    if (composed === undefined) return { ...NOT_INSPECTED, ...rest };
    const { file, document } = composed;
    const analysis = analyse(file, document);
    const ofVariants = overVariants(analysis, (variant) => variant.findings);
    const context = { now: epoch, engineSources: [], ...options };
    const findings = [...ofVariants, ...checkFile(analysis, context, isSharedFile(path))];
    const diagnostics = [...rest.diagnostics, ...locateAll(document, findings)];
    const isFaulty = findings.some((each) => each.severity !== 'warning');
    const isBroken = diagnostics.some((each) => each.severity === 'error');
    if (analysis.outline === undefined || isFaulty || isSharedFile(path))
      return { ...rest, ...NOT_INSPECTED, diagnostics };
    const endpoint = buildEndpoint(analysis, analysis.outline, options);
    const [name, id] = [document.locate(['name']), document.locate(['id'])];
    const tool = endpoint.mcp?.name === undefined ? name : document.locate(['mcp', 'name']);
    const candidate = { endpoint, name, id, tool, places: placesOf(document, analysis.file) };
    const checkable = { document, analysis, candidate };
    return { ...rest, inspected: isBroken ? undefined : checkable, checkable, diagnostics };
  };
}

const NOT_INSPECTED = { inspected: undefined, checkable: undefined } as const;

/** The file once for each variant of its query that is analysed; the file itself is the first one. */
export function variantsOf(inspected: InspectedFile): readonly InspectedFile[] {
  const { document, analysis, candidate } = inspected;
  if (analysis.variants.length === 1) return [inspected];
  const endpoints = candidate.endpoint.variants();
  return analysis.variants.map((variant, index) => ({
    document,
    analysis: variant,
    candidate: { ...candidate, endpoint: endpoints[index] ?? candidate.endpoint },
  }));
}

/** Of keys that other files matter for. */
function placesOf(document: YamlDocument, file: EndpointFile): NonNullable<Candidate['places']> {
  const at = (value: unknown, ...path: string[]) => (value === undefined ? undefined : document.locate(path));
  return {
    version: at(file.version, 'version'),
    default: at(file.default, 'default'),
    deprecated: at(file.deprecated?.successor, 'deprecated', 'successor'),
    rollout: at(file.rollout, 'rollout'),
    rate: at(file.limits?.rate, 'limits', 'rate'),
  };
}
