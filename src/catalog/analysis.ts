// Analyses a file once for all rules: compiles the parameters, binds and outlines the query.
import type { EndpointFile } from '../config/generated/endpoint.ts';
import type { Path, YamlDocument } from '../config/yaml-document.ts';
import { compileParameter, type CompiledParameter } from '../params/parameter.ts';
import { outlineQuery, withReadable, type Outline } from '../sql/outline.ts';
import { authorOffset, bindPlaceholders, type BoundQuery } from '../sql/placeholders.ts';

/** A finding of a rule, at a path of the file; `offset` is inside the string there (UTF-16 code units). */
export interface RuleFinding {
  readonly code: string;
  readonly path: Path;
  readonly onKey?: boolean;
  readonly offset?: number;
  readonly message: string;
  readonly hint?: string;
  /** Default: error. */
  readonly severity?: 'warning';
}

/** A file that passed its schema, with the results of the analysis. */
export interface Analysis {
  readonly file: EndpointFile;
  readonly document: YamlDocument;
  readonly parameters: ReadonlyMap<string, CompiledParameter>;
  readonly bound: BoundQuery;
  /** Undefined if the query could not be parsed; `findings` has the reasons. */
  readonly outline: Outline | undefined;
  readonly findings: readonly RuleFinding[];
}

/** Analyses a file; `file` is the document's value, which has passed the schema. */
export function analyse(file: EndpointFile, document: YamlDocument): Analysis {
  const parameters = new Map<string, CompiledParameter>();
  const ofParameters: RuleFinding[] = [];
  for (const [name, spec] of Object.entries(file.parameters ?? {})) {
    const compiled = compileParameter(name, spec);
    if (compiled.parameter !== undefined) parameters.set(name, compiled.parameter);
    else
      ofParameters.push(...compiled.findings.map((f) => ({ ...f, path: ['parameters', name, ...f.path] })));
  }
  const bound = bindPlaceholders(file.query, (name) => parameters.get(name)?.placeholder);
  const ofBinding = bound.findings.map(({ code, start, message }) => inQuery(code, start, message));
  const { outline: whole, findings: unread } =
    bound.findings.length > 0 ? { outline: undefined, findings: [] } : outlineQuery(bound.sql, bound.tokens);
  const outline = whole && withReadable(whole, file.sandbox?.tables);
  const ofOutline = unread.map(({ code, start, message }) =>
    inQuery(code, authorOffset(bound.uses, start), message),
  );
  const findings = [...ofParameters, ...ofBinding, ...ofOutline];
  return { file, document, parameters, bound, outline, findings };
}

function inQuery(code: string, offset: number, message: string): RuleFinding {
  return { code, path: ['query'], offset, message };
}
