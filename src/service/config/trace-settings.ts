// Settings of the trace exporter: the variables that all OpenTelemetry programs read, in the forms that its specification gives them.
import type { Finding } from '../../sql/base/finding.ts';
import type { SettingsFile } from './generated/settings.ts';
import { plainFinding } from './plain-finding.ts';

/** The trace exporter, its sampling ratio, and what identifies this service. */
export interface TraceSettings {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** From 0 to 1. */
  readonly ratio: number;
  /** Attributes of all spans; `service.name` is one of them. */
  readonly resource: Readonly<Record<string, string>>;
}

export type TraceKey = 'otlp_endpoint' | 'otlp_headers' | 'otel_service_name' | 'otel_resource_attributes';

/** Undefined: traces are not exported. The values are valid. */
export function traceSettings(
  all: SettingsFile & Required<Pick<SettingsFile, 'trace_ratio'>>,
): TraceSettings | undefined {
  const { otlp_endpoint: endpoint, trace_ratio: ratio, otel_service_name: name } = all;
  if (endpoint === undefined) return undefined;
  const attributes = readPairs(all.otel_resource_attributes);
  return {
    endpoint,
    headers: Object.fromEntries(readPairs(all.otlp_headers)),
    ratio,
    resource: {
      'service.name': DEFAULT_NAME,
      ...Object.fromEntries(attributes),
      ...(name === undefined ? {} : { 'service.name': name }),
    },
  };
}

const DEFAULT_NAME = 'millrace';

/** Checked also if traces are not exported: a mistake shows at once, not when they are. */
export function findInvalidTraces(values: SettingsFile): Finding[] {
  return [
    ...findInvalid('otlp_headers', values.otlp_headers, isField),
    ...findInvalid('otel_resource_attributes', values.otel_resource_attributes, isAttribute),
  ];
}

/** The message names the position of the pair and not its text, which may be a secret. */
function findInvalid(
  key: TraceKey,
  text: string | undefined,
  isValid: (pair: NamedValue) => boolean,
): Finding[] {
  const index = pairsIn(text).findIndex((pair) => {
    const read = readPair(pair);
    return read === undefined || !isValid(read);
  });
  if (index === -1) return [];
  const message = `pair ${index + 1} of ${key} is not valid`;
  const hint = `Write name=value pairs, separated by commas, with "%2C" for "," and "%25" for "%" in values, such as ${EXAMPLES[key]}`;
  return [plainFinding('settings', 'settings.pairs_invalid', message, hint)];
}

const EXAMPLES: Readonly<Record<string, string>> = {
  otlp_headers: 'Authorization=Basic%20QTpC',
  otel_resource_attributes: 'deployment.environment.name=production',
};

type NamedValue = readonly [string, string];

/** Name and value, decoded; undefined if it is malformed. */
function readPair(text: string): NamedValue | undefined {
  const at = text.indexOf('=');
  if (at < 1) return undefined;
  const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  try {
    return [decodeURIComponent(name), decodeURIComponent(value)];
  } catch {
    return undefined;
  }
}

/** Commas at the ends separate nothing. */
function pairsIn(text = ''): readonly string[] {
  return text.split(',').filter((pair) => pair.trim() !== '');
}

function readPairs(text: string | undefined): readonly NamedValue[] {
  return pairsIn(text)
    .map(readPair)
    .filter((pair) => pair !== undefined);
}

/** A token, and characters that a header field can have (https://www.rfc-editor.org/rfc/rfc9110#name-field-values). */
function isField([name, value]: NamedValue): boolean {
  return /^[-!#$%&'*+.^_`|~0-9A-Za-z]+$/.test(name) && /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value);
}

function isAttribute([name, value]: NamedValue): boolean {
  return /^[\u0021-\u007e]{1,255}$/.test(name) && value.length <= 1000;
}
