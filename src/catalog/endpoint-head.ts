// What checks of a whole folder need to know of each endpoint in it. A compiled endpoint has all of it; so has what a cache remembers of one.
import type { Binder } from '../params/binder.ts';
import type { Endpoint, McpPolicy, SandboxPolicy } from './endpoint.ts';

/** The fields of an endpoint that other files matter for, and those that the keys of callers do. */
export interface EndpointHead extends Pick<
  Endpoint,
  'id' | 'name' | 'version' | 'isDefault' | 'deprecated' | 'rollout' | 'file' | 'tenant' | 'rate' | 'budgets'
> {
  /** By name. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly binder: Pick<Binder, 'takesLocks'>;
  readonly sandbox: Pick<SandboxPolicy, 'enabled' | 'languages'>;
  readonly mcp: Pick<McpPolicy, 'name'> | undefined;
  /** The tables of its WITH clause. */
  readonly outline: { readonly elements: readonly { readonly name: string }[] };
}
