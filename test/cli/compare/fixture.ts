// Compares endpoint files given as short strings, with the models of their queries if there is an engine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelsOf } from '../../../src/service/endpoints/query-models.ts';
import { pairUp } from '../../../src/cli/compare/pairing.ts';
import { comparedVariants } from '../../../src/cli/compare/variants.ts';
import type { ModelResult } from '../../../src/guard/query/resolve.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import { createInspect } from '../../../src/service/endpoints/compile.ts';
import type { Change } from '../../../src/cli/compare/changes.ts';
import { compareContracts, type EndpointComparison } from '../../../src/cli/compare/compare.ts';
import type { Side } from '../../../src/cli/compare/compare-pair.ts';
import { readContracts, type Contract, type EndpointColumns } from '../../../src/cli/compare/contract.ts';

const inspect = createInspect({ piiHashKey: 'any' });

/** Top-level keys of an endpoint file and their values in YAML. */
export type Keys = Readonly<Record<string, string>>;

export const ID = '00000000-0000-4000-8000-000000000001';

/** A file of these keys; '' leaves one out. */
export function fileOf(keys: Keys): string {
  const given = { id: ID, name: 'one', ...keys };
  return Object.entries(given)
    .filter(([, value]) => value !== '')
    .map(
      ([key, value]) =>
        `${key}: ${value.includes('\n') ? `|\n  ${value.replaceAll('\n', '\n  ')}` : value}\n`,
    )
    .join('');
}

/** One side: files by their names, and the columns of each where the engine described them. */
export function sideOf(files: Readonly<Record<string, string>>, columns?: EndpointColumns): Side {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  const contracts = readContracts(sources, inspect);
  if (columns === undefined) return contracts;
  return { ...contracts, columns: new Map(contracts.served.map(({ endpoint }) => [endpoint, columns])) };
}

export function compareFiles(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly EndpointComparison[] {
  return compareContracts(sideOf(before), sideOf(after));
}

/** The changes of one file's text. */
export function changesBetween(before: string, after: string): readonly Change[] {
  const sides = [sideOf({ 'one.yaml': before }), sideOf({ 'one.yaml': after })] as const;
  for (const side of sides) {
    if (side.broken.length > 0) throw new Error(JSON.stringify(side.broken));
  }
  return compareContracts(...sides).flatMap(({ changes }) => changes);
}

export function codesOf(changes: readonly Change[]): readonly string[] {
  return [...new Set(changes.map(({ code }) => code))].toSorted();
}

type Texts = string | Readonly<Record<string, string>>;

export interface Comparer {
  /** The changes of one file's text, or of a folder's files by their names, with the models of its queries. */
  readonly changesBetween: (before: Texts, after: Texts) => Promise<readonly Change[]>;
  readonly close: () => Promise<void>;
}

/** An engine with these tables. */
export async function openComparer(
  tables: string,
  prepare: (engine: Engine) => Promise<void> = async () => {},
): Promise<Comparer> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-compare-'));
  const options = { connections: 2, queue: 10, memory: 2 ** 30, observe: () => undefined, ...REAL_TIME };
  const engine = await createEmbeddedEngine({ path: join(folder, 'data'), ...options });
  await engine.execute(tables);
  await prepare(engine);
  const known = new Map<string, Map<string, ModelResult>>();
  const knownOf = (text: Texts): Map<string, ModelResult> => {
    const key = JSON.stringify(text);
    const found = known.get(key) ?? new Map<string, ModelResult>();
    known.set(key, found);
    return found;
  };
  return {
    changesBetween: async (before, after) => {
      const [old, now] = [served(before), served(after)];
      const pairs = pairUp(old, now).filter((each) => each.kind === 'both');
      const compared = pairs.map((pair) => comparedVariants(pair.old, pair.now));
      const [base, head] = [
        await modelledSide(engine, old, {
          known: knownOf(before),
          variants: compared.flatMap(([each]) => each),
        }),
        await modelledSide(engine, now, {
          known: knownOf(after),
          variants: compared.flatMap(([, each]) => each),
        }),
      ];
      return compareContracts(base, head).flatMap(({ changes }) => changes);
    },
    close: async () => {
      await engine.close(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function served(text: Texts): Side {
  const side = sideOf(typeof text === 'string' ? { 'one.yaml': text } : text);
  if (side.broken.length > 0) throw new Error(JSON.stringify(side.broken));
  return side;
}

interface Modelled {
  readonly known: Map<string, ModelResult>;
  readonly variants: readonly Contract[];
}

async function modelledSide(engine: Engine, side: Side, { known, variants }: Modelled): Promise<Side> {
  const models = variants.map(async ({ endpoint, analysis }) => {
    const found = await modelsOf(engine, { analysis, candidate: { endpoint } }, { known });
    return [endpoint, new Map(found.map(({ query, result }) => [query.table, result]))] as const;
  });
  return { ...side, models: new Map(await Promise.all(models)) };
}
