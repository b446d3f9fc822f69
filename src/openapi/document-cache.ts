// The OpenAPI document for each caller: only what its key may call, regenerated when the endpoints change.
import type { Principal } from '../auth/principal.ts';
import { isCallable } from '../catalog/callable.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Describe } from '../catalog/describe.ts';
import { rowShapes } from '../catalog/row-shapes.ts';
import { openapiDocument, type DocumentOptions } from './document.ts';

/** What a document depends on besides the key. */
export interface PublishedOptions extends Omit<DocumentOptions, 'principal' | 'catalog'> {
  readonly catalog: () => Catalog;
  readonly describe: Describe;
}

/** Maximum number of documents cached per catalog. */
const MAX_KEPT = 100;

/** Resolves to JSON. */
export function createOpenapi(options: PublishedOptions): (principal: Principal) => Promise<string> {
  const { catalog, describe } = options;
  let kept = { of: catalog(), texts: new Map<Principal, string>() };
  return async (principal) => {
    const snapshot = catalog();
    if (kept.of !== snapshot || kept.texts.size >= MAX_KEPT) kept = { of: snapshot, texts: new Map() };
    const { texts } = kept;
    const known = texts.get(principal);
    if (known !== undefined) return known;
    const covered = snapshot.all.filter((endpoint) => isCallable(endpoint, principal));
    const described = await Promise.all(
      covered.map(async (endpoint) => ({ endpoint, rows: await rowShapes(describe, endpoint) })),
    );
    const text = JSON.stringify(openapiDocument(described, { ...options, catalog: snapshot, principal }));
    if (described.every(({ rows }) => rows !== undefined)) texts.set(principal, text);
    return text;
  };
}
