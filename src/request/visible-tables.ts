// The tables of an endpoint as consumer queries of a key read them.
import type { Principal } from '../auth/principal.ts';
import { partRules, ruleFor } from '../catalog/column-rules.ts';
import type { Describe } from '../catalog/describe.ts';
import type { Endpoint } from '../catalog/endpoint.ts';
import type { Column } from '../engine/engine.ts';
import type { ColumnAction } from '../redact/columns.ts';
import type { Sandboxes } from './sandboxes.ts';

export interface VisibleTable {
  readonly name: string;
  readonly columns: readonly Column[];
}

export interface VisibleTablesDeps {
  readonly describe: Pick<Describe, 'tables'>;
  readonly sandboxes: Pick<Sandboxes, 'of'>;
}

/** Redacted tables have other types and fewer columns. Undefined if the engine cannot describe them now, or the sandbox is off. */
export async function visibleTables(
  endpoint: Endpoint,
  principal: Principal,
  { describe, sandboxes }: VisibleTablesDeps,
): Promise<readonly VisibleTable[] | undefined> {
  if (!isAlwaysRedacted(endpoint, principal)) return describe.tables(endpoint);
  const sandbox = await sandboxes.of(endpoint, true).catch(() => undefined); // switched off, or tables that are not known
  return sandbox?.readable && [...sandbox.readable].map(([name, columns]) => ({ name, columns }));
}

/** Whether every response to the key is redacted. */
export function isAlwaysRedacted({ redaction }: Endpoint, principal: Principal): boolean {
  return redaction.always || principal.redact;
}

/** What happens to a column in every response to the key: to it, or to `parts` of it. */
export type Redacted = (column: Column) => { readonly redacted?: ColumnAction | 'parts' };

export function redactedBy(endpoint: Endpoint, principal: Principal): Redacted {
  if (!isAlwaysRedacted(endpoint, principal)) return () => ({});
  const { redaction } = endpoint;
  return ({ name }) => {
    const action = ruleFor(redaction, name) ?? (partRules(redaction, name).length > 0 ? 'parts' : undefined);
    return action === undefined ? {} : { redacted: action };
  };
}
