// Has an engine describe and analyse the queries of one revision.
import { createDescribe } from '../../../service/endpoints/describe.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { modelsOf } from '../../../service/endpoints/query-models.ts';
import { tenancyOf } from '../../../service/endpoints/tenancy.ts';
import type { Token } from '../../../service/config/generated/tokens.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { Side } from '../../compare/compare-pair.ts';
import type { Contract, EndpointColumns } from '../../compare/contract.ts';
import { keysFor, readExposure, type ListedExposure } from '../../compare/exposure.ts';
import type { EndpointModels } from '../../compare/query-changes.ts';
import { mapAtOnce } from '../../kit/at-once.ts';
import type { Needed } from './known-pairs.ts';

export type DescribedQueries = Pick<Side, 'columns' | 'models' | 'exposures' | 'definitions'>;

/** An endpoint is described with what it exposes if it is new. */
export interface Wanted {
  readonly contract: Contract;
  /** `diff` compares these variants with those of the other revision. */
  readonly variants: readonly Contract[];
  /** No endpoint of the base revision has its id or its name. */
  readonly isNew: boolean;
  /** They are those of the tokens file; undefined: there is none. */
  readonly keys: readonly Token[] | undefined;
}

/** Analysing one query may take this many seconds, whatever the endpoint's time limit. */
const DESCRIBE_TIME = 10;

export async function describeAll(
  engine: Engine,
  wanted: readonly Wanted[],
  needed: Needed,
): Promise<DescribedQueries> {
  const describe = createDescribe(engine);
  const columns = new Map<Endpoint, EndpointColumns>();
  const models = new Map<Endpoint, EndpointModels>();
  const exposures = new Map<Endpoint, ListedExposure>();
  await mapAtOnce(wanted, async ({ contract, isNew, keys }) => {
    if (!isNew || needed === 'columns') return;
    const { endpoint, analysis, tenancy } = contract;
    const exposure = await readExposure(engine, { analysis, candidate: { endpoint } }, tenancy?.setting);
    exposures.set(endpoint, { ...exposure, keys: keys && keysFor(endpoint, keys) });
  });
  const variants = wanted.flatMap((each) => each.variants);
  await mapAtOnce(variants, async ({ endpoint, analysis, tenancy }) => {
    const limited = { ...endpoint, limits: { ...endpoint.limits, time: DESCRIBE_TIME } };
    const result = await describe.result(limited);
    const tables = result && (await describe.tables(limited));
    if (result === undefined || tables === undefined) return;
    columns.set(endpoint, { result, tables });
    if (needed === 'columns') return;
    const isShared = tenancyOf(analysis.file, tenancy?.setting)?.isShared;
    const options = isShared === undefined ? {} : { isShared };
    const found = await modelsOf(engine, { analysis, candidate: { endpoint } }, options);
    models.set(endpoint, new Map(found.map(({ query, result: model }) => [query.table, model])));
  });
  return { columns, models, exposures };
}
