// Chooses the endpoints of two revisions whose queries have to be described.
import type { Contract, Contracts } from '../../compare/contract.ts';
import { pairUp } from '../../compare/pairing.ts';
import { comparedVariants, variantContracts } from '../../compare/variants.ts';
import { readKeys } from '../exposure/exposure.ts';
import type { Wanted } from './describe-queries.ts';
import type { Both, DescribeDeps } from './describe-sides.ts';
import type { FolderFile } from './folders.ts';
import type { createKnownPairs } from './known-pairs.ts';

/** `tables` are the *.sql files that create the tables of the revision; it is undefined if there is no such folder. */
export interface Described {
  readonly label: string;
  readonly contracts: Contracts;
  readonly tables: readonly FolderFile[] | undefined;
}

export interface WantedSides {
  readonly sides: Both<readonly Wanted[]>;
  /** Both revisions have the endpoints of these pairs. */
  readonly pairs: Parameters<typeof createKnownPairs>[0];
}

/** Chooses the endpoints of both revisions that have to be described. */
export async function chooseWanted(
  base: Described,
  head: Described,
  { settings }: Pick<DescribeDeps, 'settings'>,
): Promise<WantedSides> {
  const isSame = haveSameTables(base, head);
  const names = new Set(base.contracts.served.flatMap(({ endpoint: { id, name } }) => [id, name]));
  const keys = await readKeys(settings.tokens);
  const pairs = pairUp(base.contracts, head.contracts).filter((each) => each.kind === 'both');
  const pairOf = new Map(pairs.flatMap((pair) => [pair.old, pair.now].map((each) => [each, pair] as const)));
  const wanted = (contract: Contract): Wanted => {
    const { id, name } = contract.endpoint;
    const pair = pairOf.get(contract);
    const variants =
      pair === undefined
        ? variantContracts(contract)
        : comparedVariants(pair.old, pair.now)[pair.old === contract ? 0 : 1];
    return { contract, variants, isNew: !names.has(id) && !names.has(name), keys };
  };
  const [old, now] = [changed(base, isSame ? head : undefined), changed(head, isSame ? base : undefined)];
  const [inOld, inNow] = [new Set(old), new Set(now)];
  return {
    sides: [old.map(wanted), now.map(wanted)],
    pairs: pairs.filter((pair) => inOld.has(pair.old) && inNow.has(pair.now)),
  };
}

type Tables = Pick<Described, 'tables'>;

/** Returns whether the endpoints of both revisions are analysed with the same tables. */
export function haveSameTables(base: Tables, head: Tables): boolean {
  const [before, after] = [base.tables ?? head.tables, head.tables ?? base.tables];
  return JSON.stringify(before) === JSON.stringify(after);
}

/** Returns the endpoints of files whose text does not occur on the other side. */
function changed({ contracts }: Described, other: Described | undefined): readonly Contract[] {
  const texts = new Set(other?.contracts.served.map(({ analysis }) => analysis.document.wholeText));
  return contracts.served.filter(({ analysis }) => !texts.has(analysis.document.wholeText));
}
