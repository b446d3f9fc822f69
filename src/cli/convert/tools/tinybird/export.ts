// Tinybird: .pipe files with nodes, .datasource files with the columns of a table, fixtures and tests.
// Source: https://www.tinybird.co/docs/forward/dev-reference/datafiles
import { positionAt } from '../../../../sql/base/position.ts';
import type { Contents, ExportFile } from '../../export/document.ts';
import type { Declaration } from '../../placeholders/template.ts';
import type {
  ForeignQuery,
  OtherItem,
  QueryPart,
  ReadExport,
  SourceItem,
  ToolReader,
} from '../../export/foreign-query.ts';
import {
  engineClauses,
  readDatasource,
  instructionsOf,
  nameOf,
  type Instruction,
  readExamples,
  declaredColumns,
} from './data-source.ts';
import {
  joined,
  tablesOf,
  usedNodes,
  withPipes,
  type Pipe,
  type PipeNode,
  type UsedNodes,
  trimmed,
} from './nodes.ts';

export const TINYBIRD: ToolReader = {
  isOwn: ({ files }) => files.some(({ path }) => /\.(pipe|datasource)$/i.test(path)),
  read,
};

/** Data sources as tables, pipes as endpoints and views. */
function read(contents: Contents): Partial<ReadExport> {
  const { files } = contents;
  const fixtures = files.filter(({ path }) => /(^|\/)fixtures\/[^/]+\.(ndjson|csv)$/i.test(path));
  const sources = files
    .filter(({ path }) => /\.datasource$/i.test(path))
    .map((file) => readDatasource(file, fixtures));
  const tables = sources.filter((each) => 'name' in each);
  const pipes = files.filter(({ path }) => /\.pipe$/i.test(path)).map(readPipe);
  const project: Project = {
    pipes: new Map(pipes.map((pipe) => [pipe.name, pipe])),
    tables: new Set(tables.map(({ name }) => name)),
    columns: declaredColumns(tables),
    examples: readExamples(contents),
  };
  const queries = pipes.flatMap((pipe) => [...endpointsOf(pipe, project), ...writersOf(pipe, project)]);
  return {
    queries,
    tables,
    others: pipes.flatMap((pipe) => [...includesIn(pipe), ...unusedIn(pipe, queries)]),
    problems: sources.filter((each) => 'message' in each),
  };
}

interface Project {
  readonly pipes: ReadonlyMap<string, Pipe>;
  /** Names of the tables that data sources define. */
  readonly tables: ReadonlySet<string>;
  readonly columns: readonly Declaration[];
  readonly examples: ReturnType<typeof readExamples>;
}

const WRITER = /^(materialized|copy|sink)$/i;

function readPipe(file: ExportFile): Pipe {
  const { nodes, description } = nodesOf(instructionsOf(file.text));
  const named = nodes.filter(({ type }) => /^endpoint$/i.test(type));
  const isOther = nodes.some(({ type }) => WRITER.test(type));
  // Nodes without a type may follow the one that is published.
  const last = nodes.find((node) => node.name === 'endpoint') ?? nodes.at(-1);
  const endpoints = named.length > 0 ? named : last === undefined || isOther ? [] : [last];
  return { name: nameOf(file, '.pipe'), file, nodes, description, endpoints };
}

/** The query of each node that answers calls, with the nodes of its pipe that it reads. */
function endpointsOf(pipe: Pipe, project: Project): readonly ForeignQuery[] {
  const { name, endpoints } = pipe;
  return endpoints.map((node, index) => {
    const title = endpoints.length > 1 ? `${name} ${node.name}` : name;
    const text = node.description ?? pipe.description;
    const examples = project.examples.get(name);
    const base = {
      declarations: project.columns,
      title,
      segments: [title],
      ...(text === undefined ? {} : { description: text }),
      ...(index === 0 ? { key: name } : {}),
    };
    const reads = readsOf(pipe, node, project);
    return {
      ...queryOf(pipe, node, { nodes: pipe.nodes }),
      ...base,
      ...(examples === undefined || index > 0 ? {} : { examples }),
      ...(reads.length === 0
        ? {}
        : {
            reads,
            whole: () => ({
              ...queryOf(pipe, node, withPipes(pipe, project.pipes)),
              ...base,
              examples: examples ?? [],
            }),
          }),
    };
  });
}

/** Pipes without a node that answers calls have no rows to include. */
function readsOf(pipe: Pipe, node: PipeNode, { pipes }: Project): readonly string[] {
  const own = new Set(pipe.nodes.map((each) => each.name));
  const words = new Set(
    [node, ...usedNodes(node, pipe.nodes).nodes].flatMap(({ sql }) => [...tablesOf(sql)]),
  );
  return [...words].filter((word) => {
    const other = pipes.get(word);
    return other !== undefined && other !== pipe && other.endpoints.length > 0 && !own.has(word);
  });
}

/** The nodes that write rows: views for those that do it with each insert. */
function writersOf(pipe: Pipe, project: Project): readonly ForeignQuery[] {
  const writers = pipe.nodes.filter(({ type }) => WRITER.test(type));
  return writers.map((node): ForeignQuery => {
    const query = queryOf(pipe, node, withPipes(pipe, project.pipes));
    const title = (writers.length > 1 ? `${pipe.name}_${node.name}` : pipe.name).replace(/\W/g, '_');
    const base = { ...query, title, segments: [title] };
    if (!/^materialized$/i.test(node.type)) return { ...base, reason: fed(node) };
    const target = targetOf(node);
    const engine = engineClauses(node.options ?? new Map());
    if (target === undefined || engine === undefined)
      return { ...base, reason: 'The node materializes rows, but names no data source' };
    return project.tables.has(target)
      ? {
          ...base,
          view: {
            name: title,
            target,
            sql: (database) => `CREATE MATERIALIZED VIEW ${database}.${title} TO ${database}.${target} AS`,
          },
        }
      : {
          ...base,
          view: {
            name: target,
            target,
            sql: (database) => `CREATE MATERIALIZED VIEW ${database}.${target}\n${engine}\nAS`,
          },
        };
  });
}

function targetOf({ options }: PipeNode): string | undefined {
  const target = options?.get('DATASOURCE') ?? options?.get('TARGET_DATASOURCE');
  return target !== undefined && /^[A-Za-z_]\w*$/.test(target) ? target : undefined;
}

/** What a node that copies or exports rows did, for the person who now has to do it in another way. */
function fed(node: PipeNode): string {
  const { options } = node;
  const schedule = options?.get('COPY_SCHEDULE') ?? options?.get('EXPORT_SCHEDULE');
  const times = schedule === undefined || schedule === '' ? 'when it was run' : `by the schedule ${schedule}`;
  if (/^sink$/i.test(node.type)) return `The node exported its rows ${times}, which no endpoint does`;
  const mode =
    options?.get('COPY_MODE')?.toLowerCase() === 'replace' ? 'replaced the rows of' : 'added rows to';
  return `The node ${mode} ${targetOf(node) ?? 'a data source'} ${times}: create a refreshable materialized view for it`;
}

function queryOf(
  pipe: Pipe,
  node: PipeNode,
  { nodes, reason: circle }: UsedNodes,
): Omit<ForeignQuery, 'title' | 'segments'> & {
  readonly title: string;
  readonly segments: readonly string[];
} {
  const { file } = pipe;
  const { sql, offset, used, reason = circle } = joined(node, nodes);
  const own = new Set(pipe.nodes);
  return {
    ...itemOf(pipe, node),
    segments: [pipe.name],
    label: `${pipe.name}.${node.name}`,
    sql,
    dialect: 'clickhouse',
    engine: 'clickhouse',
    declarations: [],
    parts: used.filter((each) => own.has(each)).map((each) => partOf(pipe, each)),
    ...(reason === undefined ? {} : { reason }),
    locate: (at) => positionAt(file.text, offset(at)),
  };
}

function itemOf({ name, file }: Pipe, node: PipeNode): SourceItem {
  const { start } = trimmed(node);
  return {
    tool: 'tinybird',
    kind: 'node',
    title: `${name}.${node.name}`,
    file: file.shown,
    place: positionAt(file.text, start),
  };
}

function partOf(pipe: Pipe, node: PipeNode): QueryPart {
  const { text, start } = trimmed(node);
  return { ...itemOf(pipe, node), lastLine: positionAt(pipe.file.text, start + text.length).line };
}

function includesIn({ file }: Pipe): readonly OtherItem[] {
  const included = instructionsOf(file.text).filter(({ name }) => name === 'INCLUDE');
  return included.map(({ value, start }) => ({
    tool: 'tinybird',
    kind: 'include',
    title: value.trim(),
    file: file.shown,
    place: positionAt(file.text, start),
    reason: 'Included files are not read: put their lines in place of INCLUDE',
  }));
}

/** Nodes that nothing reads, and files without one. */
function unusedIn(pipe: Pipe, queries: readonly ForeignQuery[]): readonly OtherItem[] {
  const { name, file } = pipe;
  if (pipe.nodes.length === 0) {
    const place = { line: 1, column: 1 };
    const reason = 'The pipe has no node with SQL';
    return [{ tool: 'tinybird', kind: 'pipe', title: name, file: file.shown, place, reason }];
  }
  const used = new Set(
    queries
      .filter((query) => query.file === file.shown)
      .flatMap(({ label, parts = [] }) => [label, ...parts.map(({ title }) => title)]),
  );
  return pipe.nodes
    .filter((node) => !used.has(`${name}.${node.name}`))
    .map((node) => ({
      ...itemOf(pipe, node),
      reason: 'No node that answers calls or writes rows reads the node',
    }));
}

function nodesOf(instructions: readonly Instruction[]): {
  readonly nodes: readonly PipeNode[];
  readonly description: string | undefined;
} {
  const nodes: PipeNode[] = [];
  let description: string | undefined;
  let node: PipeNode | undefined;
  const finish = (): void => {
    if (node !== undefined && node.sql.trim() !== '') nodes.push(node);
  };
  for (const { name, value, start } of instructions) {
    const text = value.trim();
    if (name === 'NODE') {
      finish();
      node = { name: text, sql: '', start, type: '', description: undefined };
    } else if (name === 'DESCRIPTION') {
      if (node === undefined) description = dedented(text);
      else node = { ...node, description: dedented(text) };
    } else if (name === 'SQL')
      node = { ...(node ?? { name: 'endpoint', type: '', description: undefined }), sql: value, start };
    else if (name === 'TYPE' && node !== undefined) node = { ...node, type: text };
    else if (node !== undefined) node = { ...node, options: new Map(node.options).set(name, text) };
  }
  finish();
  return { nodes, description };
}

function dedented(text: string): string {
  return text
    .replace(/^>\s*/, '')
    .replace(/\n[ \t]+/g, '\n')
    .trim();
}
