// Analyses a file once for all rules: compiles the parameters, and expands, binds and outlines the variants of the query.
import type { Codes, PathFinding } from '../../sql/base/finding.ts';
import type { EndpointFile } from '../config/generated/endpoint.ts';
import type { Path, YamlDocument } from '../config/yaml-document.ts';
import { declaredParameter, type DeclaredParameter } from '../params/declared.ts';
import { compileParameter, type CompiledParameter } from '../params/parameter.ts';
import { readFragment, type Fragment } from '../../sql/clickhouse/fragment.ts';
import type { SqlFinding } from '../../sql/clickhouse/finding.ts';
import { partsOf, readTemplate, type Piece, type Template } from '../../sql/clickhouse/template.ts';
import { dimensionsOf, selectionsOf, type Dimension } from './selections.ts';
import {
  bindVariant,
  decisionsOf,
  expandVariant,
  type QuerySource,
  type VariantQuery,
} from './variant-query.ts';

export const VARIANT_CODES: Codes = {
  'query.choice_nested': {
    title: 'A choice in a choice',
    help: 'A fragment may use parameters with a type. Other choices and optional parts are written in the query.',
  },
  'query.too_many_variants': {
    title: 'Too many choices and optional parts',
    help: 'Every combination is analysed if there are at most 64, otherwise every pair in at most 128 combinations. Remove choices or parts, or divide the endpoint.',
  },
};

/** An endpoint file whose parameters all have a type. */
export interface AnalysedFile extends EndpointFile {
  readonly parameters?: Record<string, DeclaredParameter>;
}

/** A file that passed its schema, with the results of the analysis, and one variant of its query. */
export interface Analysis extends Omit<VariantQuery, 'findings'> {
  readonly file: AnalysedFile;
  readonly document: YamlDocument;
  readonly parameters: ReadonlyMap<string, CompiledParameter>;
  readonly source: QuerySource;
  readonly dimensions: readonly Dimension[];
  /** The names of all parameters that any variant uses, or depends on. */
  readonly used: ReadonlySet<string>;
  /** The same file with each variant that is analysed, this one included. */
  readonly variants: readonly Analysis[];
  /** It is true if these are all combinations, and not only pairs. */
  readonly hasEveryVariant: boolean;
  readonly findings: readonly PathFinding[];
}

/** Analyses a file; `file` is the document's value, which has passed the schema. The variant is that of a call without optional parameters. */
export function analyse(file: EndpointFile, document: YamlDocument): Analysis {
  const declared = Object.entries(file.parameters ?? {}).map(
    ([name, spec]) => [name, declaredParameter(spec)] as const,
  );
  const parameters = new Map<string, CompiledParameter>();
  const ofParameters: PathFinding[] = [];
  for (const [name, spec] of declared) {
    const compiled = compileParameter(name, spec);
    if (compiled.parameter !== undefined) parameters.set(name, compiled.parameter);
    else
      ofParameters.push(...compiled.findings.map((f) => ({ ...f, path: ['parameters', name, ...f.path] })));
  }
  const choices = declared.flatMap(([name, spec]) =>
    spec.choices === undefined ? [] : [[name, spec] as const],
  );
  const isChoice = (name: string): boolean => choices.some(([each]) => each === name);
  const template = readTemplate(file.query, isChoice);
  const findings = template.findings.map((each) => atOffset(['query'], each));
  const fragments = new Map(
    choices.map(([name, spec]) => [name, readFragments(name, spec, { isChoice, findings })] as const),
  );
  const isSound = findings.length === 0 && choices.every(([name]) => parameters.has(name));
  const readable = file.sandbox?.tables;
  const source = { template: isSound ? template : plainTemplate(template), fragments, parameters, readable };
  const { parameters: _parameters, ...others } = file;
  const own = file.parameters === undefined ? {} : { parameters: Object.fromEntries(declared) };
  const shared = { file: { ...others, ...own }, document, parameters, source };
  return isSound
    ? withVariants(shared, ofParameters)
    : withoutVariants(shared, [...ofParameters, ...findings]);
}

type Shared = Pick<Analysis, 'file' | 'document' | 'parameters' | 'source'>;

function withVariants(shared: Shared, ofParameters: readonly PathFinding[]): Analysis {
  const { source, parameters } = shared;
  const dimensions = dimensionsOf(source.template, parameters);
  const { selections, arePairs, areTooMany } = selectionsOf(source.template, dimensions);
  const queries = selections.map((selection) => bindVariant(source, selection));
  const used = usedIn(source, queries);
  const ofFile = areTooMany ? [...ofParameters, TOO_MANY] : ofParameters;
  const variants: Analysis[] = [];
  for (const query of queries) {
    const findings = query.findings.map(({ code, start, message }): PathFinding => ({
      code,
      message,
      ...query.inText(start),
    }));
    variants.push({
      ...shared,
      ...query,
      dimensions,
      used,
      variants,
      hasEveryVariant: !arePairs,
      findings: [...ofFile, ...findings],
    });
  }
  const [first] = variants;
  return first ?? withoutVariants(shared, ofFile); // there is always one
}

/** The names in the query with all its parts and all choices. */
function usedIn(source: QuerySource, [query]: readonly VariantQuery[]): ReadonlySet<string> {
  const { template, fragments } = source;
  const isPlain = template.pieces.every(({ kind }) => kind === 'text');
  if (isPlain && query !== undefined) return new Set(query.bound.uses.map(({ name }) => name));
  const conditions = [...partsOf(template.pieces)].flatMap((each) => each.conditions.map(({ name }) => name));
  const choices = new Map([...fragments].map(([name, all]) => [name, [...all.keys()]]));
  const whole = { ...template, pieces: unconditional(template.pieces) };
  const selection = { choices, given: new Set<string>() };
  const { bound } = expandVariant({ ...source, template: whole }, selection);
  const chosen = decisionsOf(whole.pieces, selection).keys();
  return new Set([...conditions, ...chosen, ...bound.uses.map(({ name }) => name)]);
}

function unconditional(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.map((each) =>
    each.kind === 'part' ? { ...each, conditions: [], pieces: unconditional(each.pieces) } : each,
  );
}

const TOO_MANY: PathFinding = {
  code: 'query.too_many_variants',
  path: ['query'],
  message: 'the query has too many choices and optional parts to analyse all pairs of them',
  hint: 'Remove some, or divide the endpoint',
};

/** A query whose choices or parts are wrong, as written: for the rules that look at parameters only. */
function withoutVariants(shared: Shared, findings: readonly PathFinding[]): Analysis {
  const { source } = shared;
  const query = bindVariant(source, { choices: new Map(), given: new Set() });
  const own = query.findings.map((each) => atOffset(['query'], each));
  const texts = [...source.fragments.values()].flatMap((all) => [...all.values()].map(({ text }) => text));
  const mentioned = [source.template.sql, ...texts].flatMap((text) => [...text.matchAll(/@([A-Za-z_]\w*)/g)]);
  const isPlain = texts.length === 0 && findings.every(({ path }) => path[0] !== 'query');
  const used = new Set(
    isPlain ? query.bound.uses.map(({ name }) => name) : mentioned.map(([, name = '']) => name),
  );
  const variants: Analysis[] = [];
  const analysis = {
    ...shared,
    ...query,
    outline: undefined,
    dimensions: [],
    used,
    variants,
    hasEveryVariant: true,
    findings: [...findings, ...own],
  };
  variants.push(analysis);
  return analysis;
}

/** The whole query as text. */
function plainTemplate({ sql }: Template): Template {
  return { sql, pieces: [{ kind: 'text', start: 0, end: sql.length }], findings: [] };
}

interface FragmentContext {
  readonly isChoice: (name: string) => boolean;
  readonly findings: PathFinding[];
}

function readFragments(
  name: string,
  { choices = {} }: DeclaredParameter,
  { isChoice, findings }: FragmentContext,
): ReadonlyMap<string, Fragment> {
  return new Map(
    Object.entries(choices).map(([value, text]) => {
      const fragment = readFragment(text);
      const { pieces, findings: ofParts } = readTemplate(text, isChoice);
      const nested = pieces.find(({ kind }) => kind !== 'text');
      const all = [...fragment.findings, ...ofParts];
      if (nested !== undefined)
        all.push({
          ...nested,
          code: 'query.choice_nested',
          message: NESTED[nested.kind === 'choice' ? 0 : 1],
        });
      findings.push(...all.map((each) => atOffset(['parameters', name, 'choices', value], each)));
      return [value, fragment] as const;
    }),
  );
}

const NESTED = [
  'a choice cannot contain another one: write both in the query',
  'a choice cannot contain an optional part: write the part in the query',
] as const;

function atOffset(path: Path, { code, start, message }: SqlFinding): PathFinding {
  return { code, path, offset: start, message };
}
