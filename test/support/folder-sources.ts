// The files of a folder, for compiling one of them with what it includes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isEndpointFile } from '../../src/service/endpoints/ignored-files.ts';
import { sourcesIn, type Sources } from '../../src/service/endpoints/include/sources.ts';

export function folderSources(folder: string): Sources {
  const names = readdirSync(folder).filter(isEndpointFile);
  return sourcesIn(names.map((name) => ({ path: name, text: readFileSync(join(folder, name), 'utf8') })));
}

/** Of the endpoints that are shipped. */
export const SHIPPED = folderSources(fileURLToPath(new URL('../../endpoints', import.meta.url)));
