// How a repository depends on Millrace: by its version, or by the file, folder or address that this copy was installed from.
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { packagePath } from '../../../service/config/package-files.ts';
import { dependencyIn, readManifest } from './manifest.ts';

/** The value in `dependencies` of the `package.json` in a folder. Paths are relative to it, with slashes. */
export function dependencySpec(folder: string, version: string): string {
  const own = realpathSync(packagePath(''));
  if (basename(dirname(own)) !== 'node_modules') return pathSpec(folder, own); // a checkout
  for (let holder = dirname(own); dirname(holder) !== holder; holder = dirname(holder)) {
    const spec = dependencyIn(readManifest(join(holder, 'package.json')));
    if (spec === undefined) continue;
    const path = /^(?:file|link):(.+)$/.exec(spec)?.[1];
    if (path !== undefined) return pathSpec(folder, resolve(holder, path));
    return /^(git|https?:|github:)/.test(spec) ? spec : `^${version}`;
  }
  return `^${version}`;
}

function pathSpec(folder: string, target: string): string {
  return `file:${relative(realFolder(folder), target).split(sep).join('/') || '.'}`;
}

/** npm resolves relative paths from the real folder; one that does not exist yet is found through its parents. */
function realFolder(folder: string): string {
  const path = resolve(folder);
  return existsSync(path) ? realpathSync(path) : join(realFolder(dirname(path)), basename(path));
}
