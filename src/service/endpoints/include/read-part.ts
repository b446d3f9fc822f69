// Reads a file and those that it includes, as parts.
import type { EndpointFile, Include } from '../../config/generated/endpoint.ts';
import type { SharedFile } from '../../config/generated/shared.ts';
import { locateAll } from '../../config/locate-finding.ts';
import { createSchemaCheck } from '../../config/schema.ts';
import { parseYaml, type Path, type YamlDocument } from '../../config/yaml-document.ts';
import type { Finding, PathFinding } from '../../../sql/base/finding.ts';
import { endpointBase, sharedBase, type Base } from './base.ts';
import { mergeIncludes } from './merge-includes.ts';
import type { Part, ResolvedInclude } from './part.ts';
import { fileNames, isSharedFile, type SourceFile, type Sources } from './sources.ts';

/** A part, or why there is none. */
export interface PartResult {
  readonly part: Part | undefined;
  readonly diagnostics: readonly Finding[];
  readonly dependencies: readonly SourceFile[];
  readonly unread: readonly string[];
}

/** Reads a file with text, and what it includes from the sources. */
export type PartReader = (file: SourceFile & { readonly text: string }, sources: Sources) => PartResult;

/** How many files deep an include can reach. */
const MAX_DEPTH = 8;

/** A document with findings is not served: they are about what no other check depends on. */
type Parsed =
  | { readonly document: YamlDocument; readonly findings: readonly Finding[] }
  | { readonly diagnostics: readonly Finding[] };

/** Creates a reader. It parses each source once, and puts a part together once for all that include it in one load. */
export function createPartReader(): PartReader {
  const parts = new WeakMap<Sources, Map<string, PartResult>>();
  const { parse, parseOnce } = createParse();

  const read = (
    file: SourceFile & { readonly text: string },
    sources: Sources,
    chain: readonly string[],
  ): PartResult => {
    const known = parts.get(sources) ?? new Map<string, PartResult>();
    parts.set(sources, known);
    const isSource = chain.length > 1; // the file that is compiled itself is not one of the sources
    const found = isSource ? known.get(file.name) : undefined;
    if (found !== undefined) return found;
    const document = isSource ? parseOnce(file) : parse(file);
    if ('diagnostics' in document) return { ...NOTHING, diagnostics: document.diagnostics };
    const { findings } = document;
    const own = put(baseOf(file.name, document.document), sources, chain);
    const result = { ...own, diagnostics: [...findings, ...own.diagnostics] };
    if (isSource && result.part !== undefined) known.set(file.name, result);
    return result;
  };

  /** Puts together a file and the parts that it includes. */
  const put = (base: Base, sources: Sources, chain: readonly string[]): PartResult => {
    const lookups = base.includes.map((include, index) => ({ include, index, ...lookUp(include, sources) }));
    const findings: PathFinding[] = [...base.findings];
    const inside: PartResult[] = [];
    const resolved: ResolvedInclude[] = [];
    for (const { include, index, file, unread, tried } of lookups) {
      if (unread.length > 0) continue;
      const wrong =
        unclear(include) ??
        (file === undefined || !hasText(file) ? missing(include, tried) : misplaced(file.name, chain));
      if (wrong !== undefined) findings.push({ path: pathOf(include, index), ...wrong });
      if (wrong !== undefined || file === undefined || !hasText(file)) continue;
      const result = read(file, sources, [...chain, file.name]);
      inside.push(result);
      if (result.part !== undefined) resolved.push({ include, index, part: result.part });
    }
    const unread = [...lookups.flatMap((each) => each.unread), ...inside.flatMap((each) => each.unread)];
    const isComplete = unread.length === 0 && findings.length === 0 && resolved.length === lookups.length;
    const merged = isComplete ? mergeIncludes(base, resolved) : { part: undefined, findings: [] };
    return {
      part: merged.part,
      diagnostics: [
        ...inside.flatMap(({ diagnostics }) => diagnostics),
        ...locateAll(base.document, [...findings, ...merged.findings]),
      ],
      dependencies: unique([
        ...lookups.flatMap(({ tried }) => tried),
        ...inside.flatMap(({ dependencies }) => dependencies),
      ]),
      unread: [...new Set(unread)],
    };
  };
  return (file, sources) => read(file, sources, [file.name]);
}

/** Parses files and checks their schemas; the source itself is the key of what is known. */
function createParse() {
  const checks = { endpoint: createSchemaCheck('endpoint'), shared: createSchemaCheck('shared') };
  const known = new WeakMap<SourceFile, Parsed>();
  const parse = (file: SourceFile & { readonly text: string }): Parsed => {
    const result = parseYaml(file.path, file.text);
    if ('diagnostics' in result) return result;
    const { document } = result;
    const check = checks[isSharedFile(file.name) ? 'shared' : 'endpoint'];
    const findings = check(document);
    if (findings.length === 0) return { document, findings };
    const named = isSharedFile(file.name) ? [] : withIdentity(document);
    const checkable = named.find((each) => check(each).length === 0);
    return checkable === undefined ? { diagnostics: findings } : { document: checkable, findings };
  };
  const parseOnce = (file: SourceFile & { readonly text: string }): Parsed => {
    const found = known.get(file) ?? parse(file);
    known.set(file, found);
    return found;
  };
  return { parse, parseOnce };
}

/** The document with another id, and with another name as well: the other checks need valid ones, and depend on neither. */
function withIdentity(document: YamlDocument): readonly YamlDocument[] {
  const { value } = document;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const id = '00000000-0000-4000-8000-000000000000';
  const [withId, withName] = [
    { ...value, id },
    { ...value, id, name: 'unnamed' },
  ];
  return [withId, withName].map((each) => ({ ...document, value: each }));
}

function hasText(file: SourceFile): file is SourceFile & { readonly text: string } {
  return file.text !== undefined;
}

const NOTHING = { part: undefined, dependencies: [], unread: [] } as const;

function baseOf(name: string, document: YamlDocument): Base {
  return isSharedFile(name)
    ? sharedBase(name, document, document.value as SharedFile) // it passed the schema
    : endpointBase(name, document, document.value as EndpointFile); // the same
}

interface LookUp {
  /** The first one that is there. */
  readonly file: SourceFile | undefined;
  readonly tried: readonly SourceFile[];
  readonly unread: readonly string[];
}

/** Finds the file that an include names. */
function lookUp(include: Include, sources: Sources): LookUp {
  const tried: SourceFile[] = [];
  for (const name of namesOf(include)) {
    const file = sources(name);
    if (file === undefined) return { file: undefined, tried, unread: [name] };
    tried.push(file);
    if (file.text !== undefined) return { file, tried, unread: [] };
  }
  return { file: undefined, tried, unread: [] };
}

function namesOf({ from, endpoint }: Include): readonly string[] {
  return from === undefined ? fileNames(endpoint ?? '', 'endpoint') : fileNames(from, 'shared');
}

function pathOf({ from }: Include, index: number): Path {
  return ['include', index, from === undefined ? 'endpoint' : 'from'];
}

type Wrong = Pick<PathFinding, 'code' | 'message' | 'hint'>;

function unclear({ from, endpoint }: Include): Wrong | undefined {
  if ((from === undefined) !== (endpoint === undefined)) return undefined;
  return {
    code: 'include.source',
    message: `an include names ${from === undefined ? 'no file' : 'two files'}`,
    hint: 'Write from: with the name of a shared file, or endpoint: with that of an endpoint',
  };
}

function missing(include: Include, tried: readonly SourceFile[]): Wrong {
  const unreadable = tried.find(({ problem }) => problem !== undefined);
  if (unreadable !== undefined) {
    const message = `${unreadable.name} cannot be read: ${unreadable.problem}`;
    return { code: 'include.missing', message, hint: 'Make it a text file of at most 1 MiB' };
  }
  const [name] = namesOf(include);
  return {
    code: 'include.missing',
    message: `there is no file ${name} in the folder of this file`,
    hint:
      include.from === undefined
        ? 'An endpoint is included by the name of its file, without the ending'
        : `Shared files end in .shared.yaml: write ${name}`,
  };
}

/** What is wrong with including a file, by the files that lead to it. */
function misplaced(name: string, chain: readonly string[]): Wrong | undefined {
  const at = chain.indexOf(name);
  if (at >= 0) {
    const cycle = [...chain.slice(at), name].join(' → ');
    return {
      code: 'include.cycle',
      message: `the file includes itself: ${cycle}`,
      hint: 'Move what both need to a third file',
    };
  }
  if (chain.length <= MAX_DEPTH) return undefined;
  return {
    code: 'include.too_deep',
    message: `files are included over more than ${MAX_DEPTH} levels: ${[...chain, name].join(' → ')}`,
    hint: 'Include the file itself that has the tables',
  };
}

function unique(files: readonly SourceFile[]): readonly SourceFile[] {
  return [...new Map(files.map((file) => [file.name, file])).values()];
}
