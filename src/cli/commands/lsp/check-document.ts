// Checks the files that are open in the editor, and publishes what is found.
import { basename, dirname } from 'node:path';
import { DiagnosticSeverity, type Diagnostic } from 'vscode-languageserver/node';
import type { Finding } from '../../../sql/base/finding.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import { engineFindings } from '../validate/engine-findings.ts';
import { type State, pathOf, inspect, parsedOf } from './open-files.ts';

const SETTLE_MS = 150;

/** Checks one file after the other, each as it is when its turn comes, after a pause in typing. */
export function createChecks(check: (uri: string) => Promise<void>): (uri: string) => void {
  const waiting = new Set<string>();
  let isRunning = false;
  let cancel: (() => void) | undefined;
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    for (const uri of waiting) {
      waiting.delete(uri);
      await check(uri);
    }
    isRunning = false;
  };
  return (uri) => {
    waiting.add(uri);
    cancel?.();
    cancel = REAL_TIME.after(SETTLE_MS, () => void run());
  };
}

export async function checkDocument(state: State, uri: string): Promise<void> {
  const { documents, connection, diagnose, session, terminal } = state;
  const [path, document] = [pathOf(uri), documents.get(uri)];
  if (path === undefined || document === undefined) return;
  const isCurrent = (): boolean => documents.get(uri)?.version === document.version;
  const text = document.getText();
  const publish = (findings: readonly Finding[]): void => {
    if (!isCurrent()) return;
    const include = parsedOf(state, uri)?.locateKey(['include']) ?? { line: 1, column: 1 };
    const own = findings.map((each) =>
      each.file === path ? each : { ...each, ...include, message: inPart(each) },
    );
    const diagnostics = own.map((each) => diagnosticOf(each, text));
    void connection.sendDiagnostics({ uri, version: document.version, diagnostics });
  };
  try {
    if (!state.folders.has(dirname(path))) await diagnose.refresh(dirname(path));
    state.folders.add(dirname(path));
    const { inspected } = await inspect(state, uri, path);
    if (inspected.file === undefined || session.opened() === undefined) publish(inspected.findings);
    const tables = await session.tables();
    if (inspected.file === undefined || !isCurrent()) return;
    const { openTestRuntime, tenancy } = state;
    const found = await engineFindings({ ...tables, tenancy, openTestRuntime, terminal }, [inspected.file]);
    publish([...inspected.findings, ...found.flat().filter(state.isReported)]);
  } catch (cause) {
    // The engine may not be installed, or the tables not be readable: the other findings stay.
    terminal.note(`millrace: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/** A finding in a file that this one includes is shown at `include`. */
function inPart({ file, line, column, message }: Finding): string {
  return `${basename(file)}:${line}:${column}: ${message}`;
}

function diagnosticOf({ line, column, severity, code, message, hint }: Finding, text: string): Diagnostic {
  const start = { line: Math.max(line - 1, 0), character: Math.max(column - 1, 0) };
  const rest = (text.split('\n')[start.line] ?? '').slice(start.character);
  const length = (/^@?[\w.]+/.exec(rest)?.[0] ?? rest.slice(0, 1)).length;
  return {
    range: { start, end: { line: start.line, character: start.character + length } },
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: 'millrace',
    message: hint === undefined ? message : `${message}\n${hint}`,
  };
}
