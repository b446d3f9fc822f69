// What the files of a folder declare, by their names.
import type { SchemaName } from '../config/schema.ts';
import { isSharedFile } from './include/sources.ts';

/** The schema that a file follows. */
export function schemaOf(path: string): SchemaName & ('endpoint' | 'shared' | 'rollup' | 'view') {
  if (isViewFile(path)) return 'view';
  if (isRollupFile(path)) return 'rollup';
  return isSharedFile(path) ? 'shared' : 'endpoint';
}

/** Whether a file declares rollups, by its name or path. */
export function isRollupFile(path: string): boolean {
  return /\.rollup\.ya?ml$/.test(path);
}

/** Whether a file declares a shared view, by its name or path. */
export function isViewFile(path: string): boolean {
  return /\.view\.ya?ml$/.test(path);
}

/** Whether a file is an endpoint, or a part of some. */
export function isOfEndpoints(path: string): boolean {
  const schema = schemaOf(path);
  return schema === 'endpoint' || schema === 'shared';
}

/** Whether a file declares an endpoint. */
export function declaresEndpoint(path: string): boolean {
  return schemaOf(path) === 'endpoint';
}
