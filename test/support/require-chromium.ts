// Before all tests: a browser is there, for those of the explorer.
import { CHROMIUM_MISSING, chromiumPath } from './browser.ts';
import { requireProgram } from './require-program.ts';

export function setup(): void {
  const isThere = (): boolean => chromiumPath() !== undefined;
  requireProgram({ isThere, package: 'chromium', missing: CHROMIUM_MISSING });
}
