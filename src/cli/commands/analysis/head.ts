// Turns what the checks of a folder need to know of an endpoint into data and back.
import type { Candidate } from '../../../service/endpoints/catalog.ts';
import type { EndpointHead } from '../../../service/endpoints/endpoint.ts';
import { createBinder, type Binder } from '../../../service/params/binder.ts';
import type { DeclaredParameter } from '../../../service/params/declared.ts';
import { compileParameter } from '../../../service/params/parameter.ts';
import {
  isBoolean,
  isCount,
  isList,
  isNumber,
  isOneOf,
  isRecord,
  isText,
  matches,
  optional,
  type ShapeCheck,
} from './shape.ts';

/** A candidate as data. */
export type CandidateRecord = Omit<Candidate, 'endpoint'> & { readonly endpoint: HeadRecord };

export interface HeadRecord extends Omit<EndpointHead, 'binder' | 'sandbox'> {
  readonly sandbox: { readonly enabled: boolean; readonly languages: readonly ('sql' | 'lql')[] };
}

/** Only the parameter that separates tenants has its declaration: keys may give it a value. */
export function recordOf({ endpoint, ...places }: Candidate): CandidateRecord {
  const { id, name, version, isDefault, deprecated, rollout, file, tenant, rate, budgets } = endpoint;
  const { sandbox, mcp, outline } = endpoint;
  const parameters = Object.entries(endpoint.parameters).map(
    ([each, spec]) => [each, each === tenant ? spec : {}] as const,
  );
  return {
    ...places,
    endpoint: {
      id,
      name,
      version,
      isDefault,
      deprecated,
      rollout,
      file,
      tenant,
      rate,
      budgets,
      parameters: Object.fromEntries(parameters),
      sandbox: { enabled: sandbox.enabled, languages: [...sandbox.languages] },
      mcp: mcp && { name: mcp.name },
      query: Object.keys(endpoint.redaction.columns).length === 0 ? '' : endpoint.query,
      redaction: { columns: endpoint.redaction.columns },
      outline: { elements: outline.elements.map((element) => ({ name: element.name })) },
    },
  };
}

export function restore({ endpoint, ...places }: CandidateRecord): Candidate<EndpointHead> {
  const { sandbox, ...head } = endpoint;
  return {
    ...places,
    endpoint: {
      ...head,
      sandbox: { enabled: sandbox.enabled, languages: new Set(sandbox.languages) },
      binder: { takesLocks: (locked) => tenantBinder(endpoint).takesLocks(locked) },
    },
  };
}

/** Rejects values of other parameters than the one that separates tenants. */
function tenantBinder({ tenant = '', parameters }: HeadRecord): Binder {
  const spec = parameters[tenant];
  const parameter = isDeclared(spec) ? compileParameter(tenant, spec).parameter : undefined;
  return createBinder(parameter === undefined ? [] : [parameter], { unknown: 'reject' });
}

function isDeclared(spec: unknown): spec is DeclaredParameter {
  return isRecord(spec) && isText(spec['type']);
}

const isPlace = matches({ line: isCount, column: isCount });

const isRule = isOneOf('mask', 'hash', 'drop');

const isEntry: ShapeCheck = (value) => isRecord(value);

const isHead = matches({
  id: isText,
  name: isText,
  version: optional(isCount),
  isDefault: isBoolean,
  deprecated: optional(
    matches({
      since: isNumber,
      sunset: optional(isNumber),
      successor: optional(isText),
      reason: optional(isText),
    }),
  ),
  rollout: optional(matches({ share: isNumber, tolerance: isNumber })),
  file: isText,
  tenant: optional(isText),
  rate: optional(isEntry),
  budgets: isList(isEntry),
  parameters: (value) => isRecord(value) && Object.values(value).every(isRecord),
  sandbox: matches({ enabled: isBoolean, languages: isList(isOneOf('sql', 'lql')) }),
  mcp: optional(matches({ name: optional(isText) })),
  query: isText,
  redaction: matches({ columns: (value) => isRecord(value) && Object.values(value).every(isRule) }),
  outline: matches({ elements: isList(matches({ name: isText })) }),
});

export const isCandidate: ShapeCheck = matches({
  endpoint: isHead,
  name: isPlace,
  id: isPlace,
  tool: isPlace,
  places: optional(
    matches({
      version: optional(isPlace),
      default: optional(isPlace),
      deprecated: optional(isPlace),
      rollout: optional(isPlace),
      rate: optional(isPlace),
    }),
  ),
});
