// Checks the drafts of an import together; those whose includes do not compose, or that need settings, are written again.
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { packagePath } from '../../../service/config/package-files.ts';
import { checkWritten, type CheckedFile, type NewFile } from '../check-written.ts';
import { isOfNames, ownErrors } from './assess.ts';
import type { ConvertSettings } from './convert-query.ts';
import { asAsked } from './asked.ts';
import { withParts, withWhole } from './drafts.ts';
import { endpointText, withStandIns, type EndpointDraft, type TextSettings } from './endpoint-text.ts';
import type { Making } from './options.ts';

export interface CheckedDrafts {
  readonly drafts: readonly EndpointDraft[];
  readonly texts: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, CheckedFile>;
}

/** A draft whose includes do not compose has the queries that it reads inside. Those of `before` are not checked again. */
export async function checkDrafts(
  drafts: readonly EndpointDraft[],
  { options, on, terminal, settings }: Making & { readonly settings: ConvertSettings },
  before?: CheckedDrafts,
): Promise<CheckedDrafts> {
  const { openTestRuntime, tenancy, engineSources, database } = options;
  const text: TextSettings = {
    schemaLine: schemaLine(options.endpoints),
    isForced: options.isForced,
    database,
  };
  const analysing = { ...on, terminal, openTestRuntime, tenancy, engineSources };
  const textOf = (draft: EndpointDraft): NewFile => ({ path: draft.path, text: endpointText(draft, text) });
  const first = new Map(drafts.map((draft) => [draft.path, textOf(draft)]));
  const without = (files: readonly NewFile[]): readonly NewFile[] =>
    [...first.values()].filter(({ path }) => files.every((each) => each.path !== path));
  const changed = changedPaths(drafts, before);
  const checked = [...first.values()].filter(({ path }) => changed.has(path));
  const files = new Map([
    ...(before?.files ?? []),
    ...(await checkWritten(checked, analysing, without(checked))),
  ]);
  let final = drafts;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = await changedDrafts(final, files, settings);
    const again = next.filter((draft, index) => draft !== final[index]).map(textOf);
    if (again.length === 0) break;
    for (const file of again) first.set(file.path, file);
    for (const [path, found] of await checkWritten(again, analysing, without(again))) files.set(path, found);
    final = next;
  }
  const rest = final
    .filter(({ status, path }) => status === 'partly' && changed.has(path))
    .map((draft) => textOf(withStandIns(draft)));
  const ofRest = rest.length === 0 ? [] : await checkWritten(rest, analysing, without(rest));
  for (const [path, { errors }] of ofRest) {
    const file = files.get(path);
    if (file !== undefined) files.set(path, { ...file, errors: errors.filter(isOfNames) });
  }
  return { drafts: final, texts: new Map([...first].map(([path, file]) => [path, file.text])), files };
}

/** The paths of drafts that are not in `before`, and of those that include them. */
export function changedPaths(
  drafts: readonly EndpointDraft[],
  before: CheckedDrafts | undefined,
): ReadonlySet<string> {
  const known = new Set(before?.drafts);
  const changed = new Set(drafts.filter((draft) => !known.has(draft)));
  const names = new Set([...changed].map(({ endpoint }) => endpoint));
  for (let size = -1; size !== changed.size;) {
    size = changed.size;
    for (const draft of drafts) {
      if (changed.has(draft) || ![...draft.includes.values()].some((name) => names.has(name))) continue;
      changed.add(draft);
      names.add(draft.endpoint);
    }
  }
  return new Set([...changed].map(({ path }) => path));
}

/** The engine asks for one thing at a time. */
const MAX_ROUNDS = 5;

async function changedDrafts(
  drafts: readonly EndpointDraft[],
  files: ReadonlyMap<string, CheckedFile>,
  settings: ConvertSettings,
): Promise<readonly EndpointDraft[]> {
  const changed: EndpointDraft[] = [];
  for (const draft of drafts) {
    const errors = ownErrors(files.get(draft.path));
    const isBroken = draft.includes.size > 0 && errors.length > 0;
    // A column of one alternative need not exist in the calls that use another one.
    const isOfColumns = errors.some(({ code }) => code === 'engine.unknown_column');
    changed.push(
      asAsked(draft, errors, settings.known) ??
        (isOfColumns ? await withParts(draft, settings) : undefined) ??
        (isBroken ? await withWhole(draft, settings) : draft),
    );
  }
  return changed;
}

/** For editors, as `millrace new` writes it. */
function schemaLine(folder: string): string {
  const candidates = ['schemas', packagePath('schemas')];
  const found = candidates.find((path) => existsSync(path) && !relative('.', path).startsWith('..'));
  return `# yaml-language-server: $schema=${relative(folder, found ?? 'schemas')}/endpoint.schema.json\n`;
}
