// The texts that the API listener serves, for the key of each request.
import type { Catalog } from '../endpoints/catalog.ts';
import type { TextSource } from '../fronts/texts/routes.ts';
import { createTexts, endpointOfMarkdown, GUIDES, type TextsDeps } from '../fronts/texts/texts.ts';
import type { Principal } from '../auth/principal.ts';
import { FULL_ACCESS } from './local.ts';
import type { TextReader } from '../http/tagged-text.ts';
import { type KeyDeps, admitKey, identifyKey } from '../request/admission/keys.ts';

export interface TextSourceOptions extends TextsDeps {
  readonly path: KeyDeps;
  readonly catalog: () => Catalog;
  /** In development, texts can be loaded without a key, as the OpenAPI document. */
  readonly isDevelopment: boolean;
}

export function createTextSource(options: TextSourceOptions): TextSource {
  const { path, catalog, isDevelopment } = options;
  const texts = createTexts(options);
  const isOpen = ({ key }: TextReader): boolean => key === undefined && isDevelopment;
  const count = async (reader: TextReader): Promise<Principal> =>
    isOpen(reader) ? FULL_ACCESS : admitKey(path, reader.key, reader.record, reader.kind);
  return {
    count,
    llms: async (reader) => texts.llms(catalog(), await count(reader)),
    guide: async (reader, name) => {
      await count(reader);
      return GUIDES.get(name);
    },
    endpoint: async (reader, address) => {
      const snapshot = catalog();
      const principal = isOpen(reader) ? FULL_ACCESS : await identifyKey(path, reader.key, reader.record);
      const endpoint = endpointOfMarkdown(snapshot, principal, address);
      if (endpoint === undefined) return undefined;
      return texts.endpoint(endpoint, await count(reader));
    },
  };
}
