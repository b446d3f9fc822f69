// Which endpoints a key may call: those whose names it covers and whose parameters accept all its locks.
import type { Principal } from '../auth/principal.ts';
import type { Endpoint } from './endpoint.ts';

/** Returns whether the key covers the endpoint, by its globs and by its locked parameters. */
export function isCallable({ name, binder }: Endpoint, principal: Principal): boolean {
  return principal.covers(name) && binder.takesLocks(principal.locked);
}
