// Checks the keys of the tokens file against the endpoints in service: when the service starts, and whenever either changes.
import { locateAll } from '../config/locate-finding.ts';
import { TokensRejected } from '../auth/live-keyring.ts';
import type { LoadedTokens } from '../auth/tokens-file.ts';
import type { LiveCatalog } from '../endpoints/live.ts';
import { findUnlockedKeys } from '../endpoints/tenancy-keys.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { Observe } from '../../sql/base/observation.ts';

export interface KeyCheck {
  /** Findings of a tokens file; new ones are observed. None before `start`. */
  readonly check: (file: LoadedTokens) => readonly Finding[];
  /** Checks the file in use now, and again after each change of the catalog. Throws TokensRejected if it has an error. */
  readonly start: (catalog: LiveCatalog, file: () => LoadedTokens | undefined) => void;
}

export function createKeyCheck(observe: Observe): KeyCheck {
  let catalog: LiveCatalog | undefined;
  let reported: ReadonlySet<string> = new Set();
  const find = ({ document, tokens }: LoadedTokens): readonly Finding[] =>
    catalog === undefined ? [] : locateAll(document, findUnlockedKeys(tokens, catalog.current().all));
  const report = (found: readonly Finding[]): void => {
    const added = found.filter((each) => !reported.has(each.message));
    reported = new Set(found.map(({ message }) => message));
    if (added.length > 0) observe({ kind: 'tokens.not_locked', diagnostics: added });
  };
  return {
    check: (file) => {
      const found = find(file);
      if (!found.some(isError)) report(found);
      return found;
    },
    start: (live, file) => {
      catalog = live;
      const findCurrent = (): readonly Finding[] => {
        const current = file();
        return current === undefined ? [] : find(current);
      };
      const found = findCurrent();
      const errors = found.filter(isError);
      const [first] = errors;
      if (first !== undefined) throw new TokensRejected(first.file, errors);
      report(found);
      live.subscribe(() => report(findCurrent())); // the keys stay in use: a rejected value cannot reach the endpoint
    },
  };
}

function isError({ severity }: Finding): boolean {
  return severity === 'error';
}
