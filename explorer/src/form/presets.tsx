// The endpoint's examples, one click each.
import type { Endpoint } from '../service/listing.ts';
import { valuesOf } from '../state/initial-address.ts';
import { useExplorer } from '../state/context.ts';

export function Presets({ endpoint }: { readonly endpoint: Endpoint }) {
  const { address, change } = useExplorer();
  if (endpoint.examples.length < 2) return null;
  const { parameters, query, texts } = address.value;
  return (
    <div class="presets" role="group" aria-label="Examples">
      <span class="presets-name">Examples</span>
      {endpoint.examples.map((example) => {
        const { name, sql, lql } = example;
        const values = valuesOf(example);
        const kind = sql !== undefined ? 'sql' : lql !== undefined ? 'lql' : undefined;
        const isChosen = isSame(values, parameters) && (kind === undefined ? true : query === kind);
        const choose = (): void =>
          change({
            parameters: values,
            ...(kind === undefined ? {} : { query: kind, texts: { ...texts, [kind]: sql ?? lql ?? '' } }),
          });
        return (
          <button key={name} type="button" class="chip" aria-pressed={isChosen} onClick={choose}>
            {name}
          </button>
        );
      })}
    </div>
  );
}

type Values = Readonly<Record<string, string>>;

function isSame(one: Values, other: Values): boolean {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.every((name) => (one[name] ?? '') === (other[name] ?? ''));
}
