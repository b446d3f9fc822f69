// `millrace reconvert`: which endpoint files have a query that this release would convert otherwise.
import type { YamlDocument } from '../../../service/config/yaml-document.ts';
import { createConverter, type Converter } from '../../convert/convert.ts';
import { compareDiagnostics, type Finding, type TextFinding } from '../../../sql/base/finding.ts';
import { convertAgain, plainLines, queryHash } from '../converted-source.ts';
import type { KnownTables } from '../../kit/known-tables.ts';
import { pagedQuery } from '../new/page.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { findKnownForms } from './known-forms.ts';
import { type SavedQuery, readSaved, keysOfPages } from './saved-queries.ts';

/** One file whose conversion differs now; a file that would be written as it is has none. */
export interface ReconvertedFile {
  readonly file: string;
  /** `differs`: by its source; `suspect`: it has no source, but forms that older converters wrote; `unreadable`: its source is not converted. */
  readonly status: 'differs' | 'suspect' | 'unreadable';
  /** It is true if the query was edited after it was converted. */
  readonly isEdited: boolean;
  /** The query that this release writes. */
  readonly query: string | undefined;
  /** From the query of the file to that query: lines of a unified diff. */
  readonly diff: readonly string[];
  readonly findings: readonly Finding[];
}

export interface ReconvertReport {
  /** Number of endpoint files, and of those with their source. */
  readonly files: number;
  readonly withSource: number;
  readonly changed: readonly ReconvertedFile[];
}

export interface ReconvertOptions {
  readonly paths: readonly string[];
  /** Called if a file has a source. */
  readonly readTables: () => Promise<KnownTables | undefined>;
  readonly diffTexts: (before: string, after: string) => Promise<readonly string[]>;
  readonly print: (report: ReconvertReport, terminal: Terminal) => Promise<void>;
}

/** Resolves to the exit code: 1 if a file is listed. Rejects with CommandError. */
export async function reconvert(options: ReconvertOptions, terminal: Terminal): Promise<number> {
  const saved = await readSaved(options.paths);
  const withSource = saved.filter(({ converted }) => converted !== undefined);
  const known = withSource.length === 0 ? undefined : await options.readTables();
  const converter = createConverter();
  const changed: ReconvertedFile[] = [];
  try {
    for (const [index, each] of saved.entries()) {
      terminal.progress(`file ${index + 1} of ${saved.length}`);
      const found = await check(each, { ...options, converter, known });
      if (found !== undefined) changed.push(found);
    }
  } finally {
    terminal.progress('');
    await converter.close();
  }
  await options.print({ files: saved.length, withSource: withSource.length, changed }, terminal);
  return changed.length === 0 ? 0 : 1;
}

interface Checking extends Pick<ReconvertOptions, 'diffTexts'> {
  readonly converter: Converter;
  readonly known: KnownTables | undefined;
}

async function check(saved: SavedQuery, checking: Checking): Promise<ReconvertedFile | undefined> {
  const { document, query, converted } = saved;
  const { file } = document;
  if (converted === undefined) {
    const findings = formsIn(saved);
    const found = { file, status: 'suspect', isEdited: false, query: undefined, diff: [], findings } as const;
    return findings.length === 0 ? undefined : found;
  }
  const again = await convertAgain(converted, checking);
  // The ORDER BY of a query with pages is not in the file.
  const isEdited = keysOfPages(document).length === 0 && queryHash(query) !== converted.hash;
  if (again.query === undefined) {
    const findings = again.notes.map((note) => atSource(document, note));
    return { file, status: 'unreadable', isEdited, query: undefined, diff: [], findings };
  }
  const written = plainLines(pagedAs(document, again.query));
  if (queryHash(again.query) === converted.hash || written === plainLines(query)) return undefined;
  const diff = await checking.diffTexts(`${plainLines(query)}\n`, `${written}\n`);
  return { file, status: 'differs', isEdited, query: written, diff, findings: [] };
}

/** The query without its ORDER BY, if the file has pages. */
function pagedAs(document: YamlDocument, query: string): string {
  const by = keysOfPages(document);
  return by.length === 0 ? query : pagedQuery(query, by.join(', ')).query;
}

function formsIn({ document, query }: SavedQuery): readonly Finding[] {
  return findKnownForms(query)
    .map(({ form, start }): Finding => ({
      file: document.file,
      ...document.locateInside(['query'], start),
      severity: 'warning',
      code: `convert.saved_${form.code}`,
      message: form.message,
      hint: form.hint,
    }))
    .toSorted(compareDiagnostics);
}

function atSource(document: YamlDocument, { code, start, message, hint }: TextFinding): Finding {
  return {
    file: document.file,
    ...document.locateInside(['converted', 'sql'], start),
    severity: 'error',
    code: `convert.${code}`,
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}
