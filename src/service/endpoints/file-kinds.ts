// Decides by the name of a file what it declares.
import type { SchemaName } from '../config/schema-file.ts';
import { isSharedFile } from './include/sources.ts';

/** The schema that a file follows. */
export function schemaOf(path: string): SchemaName & ('endpoint' | 'shared' | 'rollup' | 'view') {
  if (isViewFile(path)) return 'view';
  if (isRollupFile(path)) return 'rollup';
  return isSharedFile(path) ? 'shared' : 'endpoint';
}

/** The name or the path of a file is enough. */
export function isRollupFile(path: string): boolean {
  return /\.rollup\.ya?ml$/.test(path);
}

/** The name or the path of a file is enough. */
export function isViewFile(path: string): boolean {
  return /\.view\.ya?ml$/.test(path);
}

/** Returns true for an endpoint, and for a part of some. */
export function isOfEndpoints(path: string): boolean {
  const schema = schemaOf(path);
  return schema === 'endpoint' || schema === 'shared';
}

export function declaresEndpoint(path: string): boolean {
  return schemaOf(path) === 'endpoint';
}
