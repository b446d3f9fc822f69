// The OpenAPI document for each caller: only what its key may call, generated again when the endpoints change.
import { hash } from 'node:crypto';
import type { Principal } from '../../auth/principal.ts';
import { isCallable } from '../../endpoints/callable.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import type { Describe } from '../../endpoints/describe.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { rowShapes } from '../../endpoints/row-shapes.ts';
import { createLru, type Lru } from '../../../sql/base/lru.ts';
import { openapiDocument, type DocumentOptions } from '../../openapi/document.ts';

/** What a document depends on besides the key, and limits that tests can lower. */
export interface PublishedOptions extends Omit<DocumentOptions, 'principal' | 'catalog'> {
  readonly catalog: () => Catalog;
  readonly describe: Pick<Describe, 'result'>;
  /** Maximum total length of the cached documents; one of 1,000 endpoints has 10 to 12 million characters. */
  readonly keptLength?: number;
}

const KEPT_LENGTH = 32 * 2 ** 20;

/** The documents of one catalog. Callers with the same access share one, since an issuer has any number of users. */
interface Documents {
  readonly of: Catalog;
  readonly texts: Lru<string>;
  readonly running: Map<string, Promise<string>>;
}

/** Resolves to JSON. */
export function createOpenapi(options: PublishedOptions): (principal: Principal) => Promise<string> {
  const { catalog, keptLength = KEPT_LENGTH } = options;
  const open = (of: Catalog): Documents => ({
    of,
    texts: createLru<string>({ size: keptLength, sizeOf: ({ length }) => length }),
    running: new Map(),
  });
  let documents = open(catalog());
  return async (principal) => {
    const snapshot = catalog();
    if (documents.of !== snapshot) documents = open(snapshot);
    const { texts, running } = documents;
    const covered = snapshot.all.filter((endpoint) => isCallable(endpoint, principal));
    const access = accessOf(principal, covered);
    const known = texts.get(access) ?? running.get(access);
    if (known !== undefined) return known;
    const generated = generate(covered, { ...options, catalog: snapshot, principal }).then(
      ({ text, isComplete }) => {
        if (isComplete) texts.set(access, text);
        return text;
      },
    );
    running.set(access, generated);
    return generated.finally(() => running.delete(access));
  };
}

/** Everything of a principal that its document depends on. */
function accessOf(
  { languages, locked, redact, resultShape }: Principal,
  covered: readonly Endpoint[],
): string {
  const names = covered.map(({ name, version }) => [name, version]);
  return hash('sha256', JSON.stringify([[...languages], [...locked], redact, resultShape, names]));
}

/** Incomplete: the engine could not describe the rows of every endpoint. */
async function generate(
  covered: readonly Endpoint[],
  options: DocumentOptions & Pick<PublishedOptions, 'describe'>,
): Promise<{ readonly text: string; readonly isComplete: boolean }> {
  const described = await Promise.all(
    covered.map(async (endpoint) => ({ endpoint, rows: await rowShapes(options.describe, endpoint) })),
  );
  const text = JSON.stringify(await openapiDocument(described, options));
  return { text, isComplete: described.every(({ rows }) => rows !== undefined) };
}
