// Lints of what callers and agents read about an endpoint: descriptions and names.
import type { EndpointFile } from '../../service/config/generated/endpoint.ts';
import type { FileChecks } from '../../service/endpoints/checks/check.ts';

/** By the code of their warnings. */
export const DESCRIPTION_LINTS: FileChecks<{ readonly file: EndpointFile }, object> = {
  'lint.description_missing': {
    title: 'Missing description',
    help: 'Consumers see the descriptions of the endpoint and of its parameters in the listing, in OpenAPI and in the explorer; agents choose tools and arguments by them.',
    severity: 'warning',
    *check({ file }) {
      const { mcp, parameters = {} } = file;
      const ofTool = mcp === false ? undefined : mcp?.description;
      if (isEmpty(file.description) && isEmpty(ofTool)) {
        yield {
          path: ['name'],
          message: 'the endpoint has no description',
          hint: 'Add description: a sentence or two for its consumers, and for agents, which choose their tools by it',
        };
      }
      const missing = Object.entries(parameters).flatMap(([name, { description }]) =>
        isEmpty(description) ? name : [],
      );
      const [first] = missing;
      if (first === undefined || mcp === false) return;
      const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : '';
      yield {
        path: ['parameters', first],
        onKey: true,
        message: `without a description: ${missing.slice(0, NAMED).join(', ')}${more}`,
        hint: 'Add description: which values it accepts and what they select; agents know nothing else about it',
      };
    },
  },
  'lint.name_vague': {
    title: 'A name that says nothing',
    help: 'Agents choose tools by their names. Set mcp.name to a name that says what the rows are: the endpoint keeps its own.',
    severity: 'warning',
    *check({ file }) {
      const { mcp } = file;
      if (mcp === false) return;
      const isSet = mcp?.name !== undefined;
      const name = mcp?.name ?? file.name;
      const words = name.toLowerCase().split(/[^a-z]+/);
      if (!words.every((word) => VAGUE.has(word))) return;
      yield {
        path: isSet ? ['mcp', 'name'] : ['name'],
        message: `the name ${name} does not say what the rows are`,
        hint: isSet
          ? 'Name the tool after its rows, such as orders_by_day'
          : 'Add mcp: { name: … } with a name for agents, such as orders_by_day, which changes no URL',
      };
    },
  },
};

/** Parameters that a message names. */
const NAMED = 8;

function isEmpty(text: string | undefined): boolean {
  return (text ?? '').trim() === '';
}

/** Words that are in names of any endpoint. */
const VAGUE: ReadonlySet<string> = new Set([
  '',
  ...`all api bar baz copy data demo dev endpoint example file foo func get list main misc my new old output page proc query report
  result results rows run select sql stuff table temp test testing thing things tmp tool untitled`.split(
    /\s+/,
  ),
]);
