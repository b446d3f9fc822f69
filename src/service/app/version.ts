// The version of this package.
import { readFileSync } from 'node:fs';
import { packagePath } from '../config/package-files.ts';

export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  return (manifest as { version: string }).version; // our own manifest
}
