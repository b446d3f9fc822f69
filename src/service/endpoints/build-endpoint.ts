// Builds the endpoint of a file that was analysed without errors: what a call of it needs, with all defaults.
import type { Outline } from '../../sql/clickhouse/outline.ts';
import { withoutUnused } from '../../sql/clickhouse/clause.ts';
import { tokensOf } from '../../sql/clickhouse/tree/tokens.ts';
import { createBinder } from '../params/binder.ts';
import { listedValues } from '../params/type.ts';
import type { Analysis } from './analysis.ts';
import type { Endpoint } from './endpoint.ts';
import { createEndpoint } from './endpoint-variants.ts';
import { isShown } from './expectation.ts';
import { policiesOf } from './policies.ts';
import { revisionOf } from './revision.ts';
import { sampleCombinations } from './samples.ts';
import { tenancyOf, type TenancySetting } from './tenancy.ts';
import { deprecationOf, rolloutOf } from './versions.ts';

interface BuildOptions {
  readonly piiHashKey: string | undefined;
  readonly tenancy?: TenancySetting;
}

/** Builds the frozen endpoint of a file without errors. */
export function buildEndpoint(
  analysis: Analysis,
  outline: Outline,
  { piiHashKey, tenancy }: BuildOptions,
): Endpoint {
  const { file, document, parameters, source, dimensions, hasEveryVariant } = analysis;
  const selections = analysis.variants.map(({ selection }) => selection);
  const maxRows = file.max_rows ?? 1000;
  const sql = dimensions.length === 0 ? analysis.bound.sql : file.query;
  const common = {
    id: file.id.toLowerCase(),
    name: file.name,
    version: file.version,
    isDefault: file.default ?? false,
    deprecated: deprecationOf(file),
    rollout: rolloutOf(file),
    description: file.description ?? '',
    file: document.file,
    revision: revisionOf(file, sql),
    parameters: declaredParameters(analysis),
    tenant: tenancyOf(file, tenancy)?.parameter,
    binder: createBinder([...parameters.values()], { unknown: file.unknown_parameters ?? 'reject' }),
    maxRows,
    int64: file.int64 ?? 'number',
    resultShape: file.result_shape ?? 'standard',
    examples: (file.examples ?? []).filter(isShown),
    ...policiesOf(file, sql, piiHashKey),
  };
  return createEndpoint(
    { ...analysis, outline },
    { source, dimensions, selections, hasEveryVariant },
    ({ variant, selection, bound, outline }, variants) => {
      const unlimited = withoutUnused(tokensOf(bound.sql, bound.tokens), outline);
      return Object.freeze({
        ...common,
        ...variants,
        variant,
        samples: () => sampleCombinations({ file, parameters, bound, selection }),
        query: bound.sql,
        statement: `SELECT * FROM (\n${unlimited}\n) LIMIT ${maxRows + 1}`,
        unlimited,
        outline,
      });
    },
  );
}

/**
 * Adds the names of Enum types as `enum`, for everything that lists the values of a parameter, and leaves out the fragments of choices,
 * which are no business of callers.
 */
function declaredParameters({ file, parameters }: Analysis): Endpoint['parameters'] {
  const entries = Object.entries(file.parameters ?? {}).map(([name, { choices: _choices, ...spec }]) => {
    const type = parameters.get(name)?.type;
    const names = spec.enum ?? (type && listedValues(type));
    return [name, names === undefined ? spec : { ...spec, enum: [...names] }] as const;
  });
  return Object.fromEntries(entries);
}
