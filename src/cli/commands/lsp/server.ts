// `millrace lsp`: the Language Server Protocol over standard input and output (https://microsoft.github.io/language-server-protocol).
import { once } from 'node:events';
import { basename, dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  createConnection,
  DiagnosticSeverity,
  MarkupKind,
  TextDocuments,
  TextDocumentSyncKind,
  type Connection,
  type Diagnostic,
  type TextDocumentPositionParams,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { isEndpointFile } from '../../../service/endpoints/ignored-files.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import { MAX_DOCUMENT_BYTES, parseYaml, type YamlDocument } from '../../../service/config/yaml-document.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { Position } from '../../../sql/base/position.ts';
import type { OpenTestRuntime, Streams } from '../../kit/dependencies.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { engineFindings } from '../validate/engine-findings.ts';
import { complete } from './complete.ts';
import type { Diagnose, Inspected, OpenTexts } from './diagnose.ts';
import { definitionOf, explainWord, includedAt } from './explain-word.ts';
import { readKnowledge, type Knowledge } from './knowledge.ts';
import { queryPlace } from './query-place.ts';
import type { Session } from './session.ts';
import type { TenancySetting } from '../../../service/endpoints/tenancy.ts';

export interface LspOptions {
  readonly diagnose: Diagnose;
  readonly session: Session;
  readonly openTestRuntime: OpenTestRuntime;
  readonly tenancy: TenancySetting;
  /** Codes that are not reported, since no tables are known. */
  readonly isReported: (finding: Finding) => boolean;
  readonly terminal: Terminal;
  readonly streams: Streams;
}

/** What is known of an open file. */
interface KnownFiles {
  readonly inspected: Inspected;
  /** As last analysed without errors. */
  readonly file: InspectedFile | undefined;
}

const SETTLE_MS = 150;

/** Serves until the client has gone; resolves then. */
export async function serveLsp(options: LspOptions): Promise<void> {
  const connection = createConnection(options.streams.input, options.streams.output);
  const documents = new TextDocuments(TextDocument);
  const state = {
    connection,
    documents,
    known: new Map<string, KnownFiles>(),
    folders: new Set<string>(),
    ...options,
  };
  connection.onInitialize(() => ({
    serverInfo: { name: 'millrace' },
    capabilities: {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      completionProvider: { triggerCharacters: ['@', '.'] },
      hoverProvider: true,
      definitionProvider: true,
    },
  }));
  const check = createChecks((uri) => checkDocument(state, uri));
  documents.onDidChangeContent(({ document }) => check(document.uri));
  documents.onDidSave(({ document }) => {
    // Tables may have changed, and other files of the folder may include this one.
    for (const { uri } of documents.all()) check(uri);
    void options.diagnose.refresh(dirname(pathOf(document.uri) ?? '.'));
  });
  documents.onDidClose(({ document }) => {
    state.known.delete(document.uri);
    void connection.sendDiagnostics({ uri: document.uri, diagnostics: [] });
  });
  connection.onCompletion(async (asked) => {
    const at = await placeOf(state, asked);
    return at?.query === undefined ? null : complete(at.query, at.knowledge);
  });
  connection.onHover(async (asked) => {
    const at = await placeOf(state, asked);
    const found = at?.query && explainWord(at.query, at.knowledge);
    return found === undefined ? null : { contents: { kind: MarkupKind.Markdown, value: found.text } };
  });
  connection.onDefinition(async (asked) => {
    const at = await placeOf(state, asked);
    if (at === undefined) return null;
    const target =
      at.query === undefined ? includedAt(at.knowledge, at.position) : definitionOf(at.query, at.knowledge);
    if (target === undefined) return null;
    const start = { line: target.at.line - 1, character: target.at.column - 1 };
    return { uri: pathToFileURL(target.file).href, range: { start, end: start } };
  });
  documents.listen(connection);
  connection.listen();
  await once(options.streams.input, 'end');
  await options.session.close();
}

interface State extends LspOptions {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly known: Map<string, KnownFiles>;
  /** The files of these folders have been read. */
  readonly folders: Set<string>;
}

/** Checks one file after the other, each as it is when its turn comes, after a pause in typing. */
function createChecks(check: (uri: string) => Promise<void>): (uri: string) => void {
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

/** Undefined: it is no file of endpoints. */
function pathOf(uri: string): string | undefined {
  if (!uri.startsWith('file:')) return undefined;
  const path = fileURLToPath(uri);
  return isEndpointFile(basename(path)) ? path : undefined;
}

function openTexts({ documents }: State): OpenTexts {
  return new Map(
    documents.all().flatMap((document) => {
      const path = pathOf(document.uri);
      return path === undefined ? [] : [[path, document.getText()] as const];
    }),
  );
}

async function inspect(state: State, uri: string, path: string): Promise<KnownFiles> {
  const inspected = await state.diagnose.inspect(path, openTexts(state));
  const known = { inspected, file: inspected.file ?? state.known.get(uri)?.file };
  state.known.set(uri, known);
  return known;
}

async function checkDocument(state: State, uri: string): Promise<void> {
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

interface CursorPlace {
  readonly knowledge: Knowledge;
  readonly position: Position;
  readonly query: ReturnType<typeof queryPlace>;
}

/** What a client points at; undefined: the file is not one of endpoints, or cannot be parsed. */
async function placeOf(
  state: State,
  { textDocument: { uri }, position }: TextDocumentPositionParams,
): Promise<CursorPlace | undefined> {
  const [path, document] = [pathOf(uri), parsedOf(state, uri)];
  if (path === undefined || document === undefined) return undefined;
  const at = { line: position.line + 1, column: position.character + 1 };
  const { inspected, file } = await inspect(state, uri, path);
  const tables = await state.session.tables().catch(() => undefined); // without an engine, there are the names of the files
  const knowledge = await readKnowledge({ document, parts: inspected.parts, file, tables });
  return { knowledge, position: at, query: queryPlace(document, at) };
}

function parsedOf({ documents }: State, uri: string): YamlDocument | undefined {
  const [path, text] = [pathOf(uri), documents.get(uri)?.getText()];
  if (path === undefined || text === undefined || text.length > MAX_DOCUMENT_BYTES) return undefined;
  const parsed = parseYaml(path, text);
  return 'document' in parsed ? parsed.document : undefined;
}
