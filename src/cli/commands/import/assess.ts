// The status of each item: what was converted, what the engine says of it, and what its examples answered.
import type { Finding } from '../../../sql/base/finding.ts';
import { createPositions, type Position } from '../../../sql/base/position.ts';
import type { QueryPart } from '../../convert/export/foreign-query.ts';
import type { CheckedFile } from '../check-written.ts';
import type { ConvertedQuery, PlacedNote } from './convert-query.ts';
import type { EndpointDraft } from './endpoint-text.ts';
import type { ProofRun } from './prove-file.ts';
import type { ImportedItem, ItemStatus, WrittenFile } from './report.ts';

/** An endpoint with its status and the reasons for it. */
export interface Assessed {
  readonly draft: EndpointDraft;
  readonly status: ConvertedQuery['status'];
  readonly notes: readonly PlacedNote[];
  readonly rows: number | undefined;
}

/** By the name of the endpoint. What an endpoint includes counts for it, too. */
export function assess(
  drafts: readonly EndpointDraft[],
  checked: ReadonlyMap<string, CheckedFile>,
  runs: ReadonlyMap<string, ProofRun>,
): readonly Assessed[] {
  const own = new Map(
    drafts.map((draft) => [
      draft.endpoint,
      assessOne(draft, checked.get(draft.path), runs.get(draft.endpoint)),
    ]),
  );
  return [...own.values()].map((each) => withIncluded(each, own));
}

/** Without those about parts that were not converted: they are names of parameters that are not declared. */
export function ownErrors(checked: CheckedFile | undefined): readonly Finding[] {
  return (checked?.errors ?? []).filter(({ message }) => !/\bnot_converted(_\d+)?\b/.test(message));
}

/** Returns whether an error is about a name, rather than about the replacement of a part that was not converted. */
export function isOfNames({ code }: Finding): boolean {
  return /^engine\.unknown_(table|column|function)$/.test(code);
}

const WORST: readonly ConvertedQuery['status'][] = ['not', 'partly', 'converted'];

function worse(one: ConvertedQuery['status'], other: ConvertedQuery['status']): ConvertedQuery['status'] {
  return WORST.find((status) => status === one || status === other) ?? one;
}

function assessOne(
  draft: EndpointDraft,
  checked: CheckedFile | undefined,
  run: ProofRun | undefined,
): Assessed {
  const errors = ownErrors(checked);
  const isPartly = draft.status === 'partly';
  const notes = errors.map((error) =>
    noteOf(error, draft, isUnknownTable(error) ? UNKNOWN_TABLE : undefined),
  );
  const failures = (run?.failures ?? []).map(({ finding, isRejected }) => ({
    isRejected,
    note: noteOf(finding, draft, isRejected ? undefined : OTHER_ROWS),
  }));
  const ofErrors = errors.map((error) =>
    isUnknownTable(error) || isNotAnalysed(error) || isPartly ? ('partly' as const) : ('not' as const),
  );
  const ofRuns = failures.map(({ isRejected }) => (isRejected ? ('not' as const) : ('partly' as const)));
  const notRun = run !== undefined && run.rows === undefined ? [notRunNote(draft, run.reason)] : [];
  return {
    draft,
    status: [...ofErrors, ...ofRuns, ...notRun.map(() => 'partly' as const)].reduce(worse, draft.status),
    notes: [...draft.notes, ...notes, ...failures.map(({ note }) => note), ...notRun],
    rows: run?.rows,
  };
}

/** Nothing is called converted that was not run. */
function notRunNote({ query }: EndpointDraft, reason: string | undefined): PlacedNote {
  return {
    severity: 'not_converted',
    code: 'not_run',
    message: `It was not run: no values of its parameters are known that it accepts${reason === undefined ? '' : `. The last call: ${reason}`}`,
    hint: 'Add an example with values to its file, and run millrace test',
    place: query.locate(0),
    inQuery: { line: 1, column: 1 },
  };
}

/** A table, or a cluster, that the engine does not have. */
function isUnknownTable({ code, message }: Finding): boolean {
  return (
    code === 'engine.unknown_table' ||
    /no tables satisfied provided regexp|cluster '.*' not found/.test(message)
  );
}

/** The engine gave up, which says nothing about the query. */
function isNotAnalysed({ code }: Finding): boolean {
  return code === 'engine.not_analysed';
}

const UNKNOWN_TABLE =
  'Hand over the definition (millrace schema pull, or --schema), and import again with --force';
const OTHER_ROWS = "The rows are those of the source's own test";

function noteOf(finding: Finding, draft: EndpointDraft, hint: string | undefined): PlacedNote {
  const { code, message } = finding;
  const shown = `${draft.path}:${finding.line}:${finding.column}: ${message}`;
  const offset = sourceOffset(message, draft.query.sql);
  const shownHint = hint ?? finding.hint;
  return {
    severity: 'not_converted',
    code,
    message: shown,
    ...(shownHint === undefined ? {} : { hint: shownHint }),
    place: draft.query.locate(offset),
    inQuery: createPositions(draft.query.sql)(offset),
  };
}

/** Where the source has the first name that a message quotes; otherwise its beginning. */
function sourceOffset(message: string, source: string): number {
  for (const [, quoted, called, named] of message.matchAll(
    /[`'"]([\w.]+)[`'"]|\b(\w+)\(\)|(?<=table |column )([\w.]+)/gi,
  )) {
    const name = (quoted ?? called ?? named ?? '').split('.').at(-1) ?? '';
    const found = name === '' ? -1 : source.search(new RegExp(`\\b${name}\\b`));
    if (found >= 0) return found;
  }
  return 0;
}

/** An endpoint that includes others is no better than they are. */
function withIncluded(assessed: Assessed, all: ReadonlyMap<string, Assessed>): Assessed {
  const included = includedBy(assessed.draft, all);
  const incomplete = included.filter(({ status }) => status !== 'converted');
  if (incomplete.length === 0) return assessed;
  const start: Position = { line: 1, column: 1 };
  const notes = incomplete.map(({ draft, status }): PlacedNote => ({
    severity: 'not_converted',
    code: 'include',
    message: `It reads ${draft.endpoint}, which was ${status === 'not' ? 'not converted' : 'converted partly'}`,
    place: assessed.draft.query.locate(0),
    inQuery: start,
  }));
  const status = incomplete.map((each) => each.status).reduce(worse, assessed.status);
  return { ...assessed, status, notes: [...assessed.notes, ...notes] };
}

function includedBy(draft: EndpointDraft, all: ReadonlyMap<string, Assessed>): readonly Assessed[] {
  const found = new Set<Assessed>();
  const open = [draft];
  for (let each = open.pop(); each !== undefined; each = open.pop())
    for (const name of each.includes.values()) {
      const other = all.get(name);
      if (other === undefined || found.has(other)) continue;
      found.add(other);
      open.push(other.draft);
    }
  return [...found];
}

/** The line of an endpoint in the report, and those of the items that are parts of its query. */
export function itemsOf(
  { draft, status, notes, rows }: Assessed,
  written: WrittenFile,
): readonly ImportedItem[] {
  const { query, endpoint, dialect, parameters, place } = draft;
  const { tool, kind, title, label = title, file, parts = [] } = query;
  const whole: ImportedItem = {
    tool,
    kind,
    title: label,
    file,
    place,
    status,
    endpoint,
    written,
    dialect,
    parameters,
    notes,
    rows,
  };
  return [...parts.map((part) => partItem(part, whole)), whole];
}

/** Why a part is not converted whose own lines have no fault. */
function notWholeNote({ title, endpoint = '' }: ImportedItem, place: Position): PlacedNote {
  return {
    severity: 'not_converted',
    code: 'part',
    message: `It is a part of ${title}, which was not converted: see ${endpoint}`,
    place,
    inQuery: { line: 1, column: 1 },
  };
}

/** A part has the notes whose places are in it. */
function partItem(part: QueryPart, whole: ImportedItem): ImportedItem {
  const { tool, kind, title, file, place, lastLine } = part;
  const notes = whole.notes.filter((note) => note.place.line >= place.line && note.place.line <= lastLine);
  const own: ItemStatus = notes.some(({ severity }) => severity !== 'note') ? 'partly' : 'converted';
  const status = whole.status === 'not' ? 'not' : own;
  const reason = notes.length === 0 && whole.status === 'not' ? [notWholeNote(whole, place)] : [];
  return { tool, kind, title, file, place, status, endpoint: whole.endpoint, notes: [...notes, ...reason] };
}
