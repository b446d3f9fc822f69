// The version of this package.
import { readFileSync } from 'node:fs';
import { packageFile } from '../config/package-file.ts';

export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
  return (manifest as { version: string }).version; // our own manifest
}
