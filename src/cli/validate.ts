// `millrace validate`: every finding of every endpoint file, where it stands.
import { readFile, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { assembleCatalog } from '../catalog/catalog.ts';
import { createCompile } from '../catalog/compile.ts';
import { listFiles, loadFiles, type LoadedFiles } from '../catalog/load.ts';
import { compareDiagnostics, type Diagnostic } from '../core/diagnostic.ts';
import { renderDiagnostic } from './caret.ts';
import { CommandError } from './command-error.ts';
import type { Terminal } from './terminal.ts';

export interface ValidateOptions {
  /** Files, and folders of files. */
  readonly paths: readonly string[];
  readonly format: 'human' | 'json';
}

/** Whether the service has a secret is the operator's concern, not the file's. */
const ANY_KEY = 'any';

/** Prints findings and resolves to the exit code: 0 when no file has an error, else 1. */
export async function validate({ paths, format }: ValidateOptions, terminal: Terminal): Promise<0 | 1> {
  const listed = (await Promise.all(paths.map(expand))).flat();
  const files = await loadFiles([...new Set(listed)], new Map(), createCompile({ piiHashKey: ANY_KEY }));
  const findings = allFindings(files.files);
  const errors = findings.filter((each) => each.severity === 'error').length;
  if (format === 'json') terminal.print(JSON.stringify({ findings: findings.map(relativeFile) }, null, 2));
  else await printFindings(findings, terminal);
  const total = files.files.size;
  const summary = `${count(total, 'endpoint file')}, ${count(errors, 'error')}, ${count(findings.length - errors, 'warning')}`;
  if (format === 'human') terminal.note(terminal.paint(errors > 0 ? 'red' : 'green', summary));
  return errors > 0 ? 1 : 0;
}

async function expand(path: string): Promise<string[]> {
  const stats = await stat(path).catch((cause: unknown) => {
    throw new CommandError(`${path} does not exist; name an endpoint file or a folder of them`, {
      exitCode: 2,
      cause,
    });
  });
  return stats.isDirectory() ? listFiles(path) : [path];
}

function allFindings(files: LoadedFiles): readonly Diagnostic[] {
  const candidates = [...files.values()].flatMap((file) => file.candidate ?? []);
  const own = [...files.values()].flatMap((file) => file.diagnostics);
  return [...own, ...assembleCatalog(candidates).diagnostics].toSorted(compareDiagnostics);
}

async function printFindings(findings: readonly Diagnostic[], terminal: Terminal): Promise<void> {
  const texts = new Map<string, string>();
  for (const finding of findings) {
    const text = texts.get(finding.file) ?? (await readFile(finding.file, 'utf8').catch(() => ''));
    texts.set(finding.file, text);
    for (const line of renderDiagnostic(relativeFile(finding), text, terminal)) terminal.print(line);
    terminal.print('');
  }
}

function relativeFile(finding: Diagnostic): Diagnostic {
  return { ...finding, file: relative(process.cwd(), finding.file) || finding.file };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
