// Names the parts of Tinybird's API that this front does not serve, and what to use in their place.
import { Problem } from '../../../sql/base/problem.ts';

const PARTS: readonly (readonly [path: RegExp, what: string, hint: string])[] = [
  [/^\/v0\/events/, 'The Events API', 'Insert rows into ClickHouse, or load files with millrace load; this API only reads.'],
  [/^\/v0\/datasources/, 'The Data Sources API', 'Load rows with millrace load, or insert them into ClickHouse; tables are defined there.'],
  [/^\/v0\/pipes\/[^/]+\/(?:copy|copies)/, 'Copy', 'Use a refreshable materialized view of ClickHouse, or a rollup.'],
  [/^\/v0\/pipes\/[^/]+\/sink/, 'Sinks', 'Make an export of the endpoint: POST /api/endpoints/query/{name}/exports.'],
  [/^\/v0\/pipes\//, 'Changing pipes', 'Change the endpoint file of the pipe.'],
  [/^\/v0\/(?:connectors|kafka|integrations)/, 'Connectors', 'Use table engines of ClickHouse, such as Kafka.'],
  [/^\/v0\/tokens?/, 'The Tokens API', 'Create keys with millrace token create, or sign JSON Web Tokens.'],
  [/^\/v0\/jobs/, 'The Jobs API', 'There are no jobs: exports have an API of their own.'],
  [/^\/v0\/(?:variables|secrets)/, 'The Environment Variables API', 'Lock parameters of the key.'],
  [/^\/v0\/analyze/, 'The Analyze API', 'Create the table, then load rows with millrace load.'],
  [/^\/v[01]\/(?:workspaces?|organizations?|user|branches|environments|build|deploy)/, 'Workspaces', 'Endpoint files in a folder are the workspace; millrace import reads a project.'],
]; // prettier-ignore

/** The problem with a path of the API that is not served. */
export function notServed(path: string): Problem {
  const found = PARTS.find(([pattern]) => pattern.test(path));
  if (found === undefined)
    return new Problem('route.unknown', { hint: 'Call pipes at /v0/pipes/{name}.json.' });
  const [, what, hint] = found;
  return new Problem('tinybird.not_served', { detail: `${what} of Tinybird is not served`, hint });
}
