// The files that are open in the editor, with what is known of each.
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TextDocuments } from 'vscode-languageserver/node';
import { type Connection } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { isEndpointFile } from '../../../service/endpoints/ignored-files.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import { MAX_DOCUMENT_BYTES, parseYaml, type YamlDocument } from '../../../service/config/yaml-document.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { OpenTestRuntime, Streams } from '../../kit/dependencies.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { Diagnose, Inspected } from './diagnose.ts';
import type { OpenTexts } from './compose.ts';
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
export interface KnownFiles {
  readonly inspected: Inspected;
  /** As last analysed without errors. */
  readonly file: InspectedFile | undefined;
}

export interface State extends LspOptions {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly known: Map<string, KnownFiles>;
  /** The files of these folders have been read. */
  readonly folders: Set<string>;
}

/** Undefined: it is no file of endpoints. */
export function pathOf(uri: string): string | undefined {
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

export async function inspect(state: State, uri: string, path: string): Promise<KnownFiles> {
  const inspected = await state.diagnose.inspect(path, openTexts(state));
  const known = { inspected, file: inspected.file ?? state.known.get(uri)?.file };
  state.known.set(uri, known);
  return known;
}

export function parsedOf({ documents }: State, uri: string): YamlDocument | undefined {
  const [path, text] = [pathOf(uri), documents.get(uri)?.getText()];
  if (path === undefined || text === undefined || text.length > MAX_DOCUMENT_BYTES) return undefined;
  const parsed = parseYaml(path, text);
  return 'document' in parsed ? parsed.document : undefined;
}
