// Global setup: ensures that a browser is installed for the explorer tests.
import { CHROMIUM_MISSING, chromiumPath } from './browser.ts';
import { requireProgram } from './require-program.ts';

export function setup(): void {
  const isThere = (): boolean => chromiumPath() !== undefined;
  requireProgram({ isThere, package: 'chromium', missing: CHROMIUM_MISSING });
}
