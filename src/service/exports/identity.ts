// Whose exports a request is about.
import { hash } from 'node:crypto';
import type { Principal } from '../auth/principal.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { ownerOf } from './record.ts';

export interface ExportIdentity {
  readonly owner: string;
  readonly principal: Principal;
  readonly endpoint: Endpoint;
  /** A hash of the caller's Idempotency-Key. */
  readonly idempotency: string | undefined;
}

/** The identity of a key that may call the endpoint. */
export function identityOf(
  principal: Principal,
  endpoint: Endpoint,
  idempotencyKey?: string,
): ExportIdentity {
  return {
    owner: ownerOf(principal),
    principal,
    endpoint,
    idempotency:
      idempotencyKey === undefined
        ? undefined
        : hash('sha256', JSON.stringify([endpoint.name, idempotencyKey]), 'hex'),
  };
}
