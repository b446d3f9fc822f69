// Saves a consumer query as an endpoint: asks for a name and shows the file for the pull request.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { sandboxOf, type Endpoint } from '../service/listing.ts';
import { CallFailure } from '../service/problem.ts';
import { askOf } from '../state/model.ts';
import { useExplorer } from '../state/context.ts';
import { layOut } from '../query/layout.ts';
import { tablesRead } from '../query/vocabulary.ts';
import { CodeBlock } from './code-block.tsx';
import { endpointFile, isEndpointName } from './endpoint-file.ts';

type QueryAsSql = { readonly sql: string } | { readonly rejection: string };

export function SaveAsEndpoint({ endpoint }: { readonly endpoint: Endpoint }) {
  const { address } = useExplorer();
  const [name, setName] = useState('');
  const id = useMemo(newId, []);
  const query = useSql(endpoint);
  const { own, parameters } = askOf(address.value);
  const sandbox = sandboxOf(endpoint);
  if (own === undefined || sandbox === undefined || query === undefined)
    return <div class="skeleton code-skeleton" />;
  if ('rejection' in query) return <p class="note code-note">{query.rejection}. Correct the query first.</p>;
  const isNamed = isEndpointName(name);
  const text = endpointFile({
    name: isNamed ? name : 'my-endpoint',
    id,
    sql: query.sql,
    isFromLql: own.language === 'lql',
    endpoint,
    parameters,
    tables: [...new Set([...tablesRead(query.sql, sandbox).values()].map((table) => table.name))],
  });
  return (
    <>
      <label class="endpoint-name-field" for="endpoint-name">
        <span class="field-name">Name</span>
        <input
          id="endpoint-name"
          class="input mono"
          placeholder="my-endpoint"
          autocomplete="off"
          spellcheck={false}
          value={name}
          aria-invalid={name !== '' && !isNamed}
          aria-describedby="endpoint-name-note"
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <span class="note" id="endpoint-name-note">
          {name === '' || isNamed
            ? `endpoints/${isNamed ? name : 'my-endpoint'}.yaml`
            : 'Use lowercase letters, digits, "_" or "-" in dot-separated segments, beginning with a letter.'}
        </span>
      </label>
      <CodeBlock text={text} label="the endpoint file" />
    </>
  );
}

/** The query as SQL; LQL is translated by the service. */
function useSql(endpoint: Endpoint): QueryAsSql | undefined {
  const { address, client, key } = useExplorer();
  const ask = askOf(address.value);
  const [query, setQuery] = useState<QueryAsSql>();
  useEffect(() => {
    if (ask.own === undefined) return undefined;
    if (ask.own.language === 'sql') return setQuery({ sql: ask.own.text });
    const controller = new AbortController();
    client.explain(key.value ?? '', ask, controller.signal).then(
      ({ sql }) => setQuery({ sql: layOut(sql) }),
      (error: unknown) => {
        if (error instanceof CallFailure) setQuery({ rejection: error.problem.detail });
      },
    );
    return () => controller.abort();
  }, [endpoint, ask.own?.language, ask.own?.text]);
  return query;
}

/** A random UUID (RFC 9562, version 4). Works over plain http, where browsers do not expose `crypto.randomUUID`. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
