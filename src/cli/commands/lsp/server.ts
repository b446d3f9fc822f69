// `millrace lsp`: the Language Server Protocol over standard input and output (https://microsoft.github.io/language-server-protocol).
import { once } from 'node:events';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createConnection,
  MarkupKind,
  TextDocuments,
  TextDocumentSyncKind,
  type TextDocumentPositionParams,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Position } from '../../../sql/base/position.ts';
import { complete } from './complete.ts';
import { definitionOf, explainWord, includedAt } from './explain-word.ts';
import { readKnowledge, type Knowledge } from './knowledge.ts';
import { queryPlace } from './query-place.ts';
import { type LspOptions, type KnownFiles, type State, pathOf, inspect, parsedOf } from './open-files.ts';
import { createChecks, checkDocument } from './check-document.ts';

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
