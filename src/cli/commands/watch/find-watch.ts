// Finds a watch by name, and the key that it runs as.
import type { Catalog } from '../../../service/endpoints/catalog.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import type { WatchPolicy } from '../../../service/endpoints/watches.ts';
import { createKeyring } from '../../../service/auth/keyring.ts';
import type { Principal } from '../../../service/auth/principal.ts';
import { createReadTokens } from '../../../service/auth/tokens-file.ts';
import type { Settings } from '../../../service/config/settings.ts';
import { describeFinding } from '../../../service/observe/describe.ts';
import { watchId } from '../../../service/watches/advance.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { nearest, withSuggestion } from '../../../sql/base/nearest.ts';
import { CommandError } from '../../kit/command-error.ts';

interface FoundWatch {
  readonly endpoint: Endpoint;
  readonly watch: WatchPolicy;
}

/** `name` is that of an endpoint with one watch, or `endpoint/watch`. Throws CommandError. */
export function findWatch(
  { endpoints }: Pick<Catalog, 'endpoints'>,
  name: string,
  rejected: readonly Finding[],
): FoundWatch {
  const all = endpoints.flatMap((endpoint) => endpoint.watches.map((watch) => ({ endpoint, watch })));
  const idOf = ({ endpoint, watch }: FoundWatch): string => watchId(endpoint.name, watch);
  const found = all.filter((each) => each.endpoint.name === name || idOf(each) === name);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw misuse(`${name} has ${found.length} watches: name one of ${found.map(idOf).join(', ')}`);
  if (endpoints.some((each) => each.name === name)) throw misuse(`${name} has no watch`);
  const [first] = rejected;
  const details = first === undefined ? [] : [`Files with errors are not served: ${first.file}:${first.line}:${first.column} ${first.message}; run millrace validate`]; // prettier-ignore
  const names = all.flatMap((each) => [each.endpoint.name, idOf(each)]);
  throw new CommandError(withSuggestion(`There is no watch "${name}"`, nearest(name, names)), {
    exitCode: 2,
    details,
  });
}

/** The key of a watch, without its rates and budgets; undefined: there is no tokens file here. Rejects with CommandError. */
export async function principalOf(
  { tokens: path }: Pick<Settings, 'tokens'>,
  as: string,
): Promise<Principal | undefined> {
  const read = path === undefined ? undefined : await createReadTokens()(path);
  if (path === undefined || read === undefined || read.kind === 'missing') return undefined;
  if (read.kind === 'rejected') {
    const [first] = read.diagnostics;
    throw new CommandError(first === undefined ? `Errors in ${path}` : describeFinding(first));
  }
  const accepted = await createKeyring(read.tokens).byName.authenticate(as, 0); // also one that has ended since
  if (accepted.kind !== 'accepted') throw new CommandError(`No key is named ${as} in ${path}`);
  return { ...accepted.principal, rate: undefined, budgets: [] };
}

function misuse(message: string): CommandError {
  return new CommandError(message, { exitCode: 2 });
}
