// An endpoint that accepts queries, as lines of text for agents: languages, parameters, limits.
import type { Principal } from '../../../auth/principal.ts';
import { plainText } from '../endpoints/table-text.ts';
import { firstSentence } from '../../texts/first-sentence.ts';
import type { OpenEndpoint } from './open-endpoints.ts';

const MAX_DESCRIPTION = 1500;
const MAX_ENUM = 20;

/** The head of the description of one endpoint. */
export function endpointLines(open: OpenEndpoint, principal: Principal): readonly string[] {
  const { endpoint } = open;
  const { minGroup } = endpoint.redaction;
  const isRedacted = endpoint.redaction.always || principal.redact;
  const hint = endpoint.mcp?.hint;
  return [
    `endpoint ${endpoint.name}: ${description(endpoint.mcp?.description ?? endpoint.description)}`,
    ...(hint === undefined ? [] : [description(hint)]),
    `languages: ${languagesText(open)}`,
    ...parameterLines(open, principal),
    `limits: at most ${endpoint.maxRows} rows, ${endpoint.limits.time} s`,
    ...(isRedacted ? ['personal data in values is redacted'] : []),
    ...(isRedacted && minGroup !== undefined
      ? [`a query must aggregate, and sees no groups of fewer than ${minGroup} rows`]
      : []),
  ];
}

/** The endpoint in a list of several. */
export function endpointSummary(open: OpenEndpoint, principal: Principal): string {
  const { endpoint, tables } = open;
  const required = requiredParameters(open, principal);
  return [
    `- ${endpoint.name}: ${firstSentence(endpoint.description)}`,
    `  tables: ${plainText(tables.join(', ').slice(0, 400))}`,
    `  languages: ${languagesText(open)}${required.length === 0 ? '' : `; required parameters: ${required.join(', ')}`}`,
  ].join('\n');
}

/** Names of the parameters that a call has to send. */
export function requiredParameters({ endpoint }: OpenEndpoint, { locked }: Principal): readonly string[] {
  return Object.entries(endpoint.parameters)
    .filter(([name, spec]) => spec.required === true && !locked.has(name))
    .map(([name]) => name);
}

function languagesText({ languages, dialects }: OpenEndpoint): string {
  return languages
    .map((language) => (language === 'lql' ? 'lql' : `sql (dialect ${dialects.join(' or ')})`))
    .join(', ');
}

function parameterLines({ endpoint }: OpenEndpoint, { locked }: Principal): readonly string[] {
  const parameters = Object.entries(endpoint.parameters);
  if (parameters.length === 0) return ['parameters: none'];
  const [example] = endpoint.examples;
  return [
    'parameters:',
    ...parameters.map(([name, { type, required, description: text, default: value, enum: values }]) => {
      if (locked.has(name)) return `- ${name}: set by your key, not sent`;
      const shown: unknown = example?.parameters?.[name];
      const notes = [
        required === true ? 'required' : 'optional',
        ...(values === undefined ? [] : [`one of ${values.slice(0, MAX_ENUM).join(', ')}`]),
        ...(value === undefined ? [] : [`default ${JSON.stringify(value)}`]),
        ...(shown === undefined ? [] : [`for example ${JSON.stringify(shown)}`]),
      ];
      return plainText(
        `- ${name}: ${type}, ${notes.join(', ')}${text === undefined ? '' : `. ${text.trim()}`}`.slice(
          0,
          MAX_DESCRIPTION,
        ),
      );
    }),
  ];
}

function description(text: string): string {
  return plainText(text.trim().replace(/\s+/g, ' ').slice(0, MAX_DESCRIPTION));
}
