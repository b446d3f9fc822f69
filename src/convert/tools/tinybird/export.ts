// Tinybird: .pipe files with nodes, and .datasource files with the columns of a table.
// Source: https://www.tinybird.co/docs/forward/dev-reference/datafiles
import { positionAt } from '../../../core/position.ts';
import { readRegions } from '../../placeholders/source-lexer.ts';
import type { ExportFile } from '../../export/foreign-query.ts';
import type { ForeignQuery, ImportProblem, TableDefinition } from '../../export/foreign-query.ts';

/** An instruction of a datafile: `NAME argument`, with its indented lines. */
interface Instruction {
  readonly name: string;
  readonly value: string;
  /** The offset of the value in the file. */
  readonly start: number;
}

const NAMES =
  'VERSION|DESCRIPTION|TAGS|TOKEN|NODE|SQL|TYPE|DATASOURCE|ENGINE\\w*|COPY\\w*|TARGET_DATASOURCE|MATERIALIZED|SCHEMA|INDEXES|SHARED_WITH|FORWARD_QUERY|EXPORT\\w*|KAFKA\\w*|IMPORT\\w*|INCLUDE|CACHE\\w*|DEPLOYMENT_METHOD|BACKFILL|RETRIES|MAX_\\w+|UNIQUE\\w*|INDEX\\w*|S3\\w*|GCS\\w*';
const INSTRUCTION = new RegExp(`^[ \\t]*(${NAMES})\\b[ \\t]*(.*)$`, 'i');

/** Instructions after an indented block, which are indented themselves in some files. */
const INDENTED =
  /^[ \t]*(?:(?:SQL|DESCRIPTION|SCHEMA)[ \t]*>|TYPE[ \t]+(?:endpoint|materialized|copy|sink))\s*$/i;

/** In order. The value of an instruction with `>` is its following lines, which are indented. */
function instructionsOf(text: string): readonly Instruction[] {
  const found: { name: string; value: string; readonly start: number }[] = [];
  let at = 0;
  let isBlock = false;
  for (const line of text.split(/(?<=\n)/)) {
    const isInstruction: boolean = !isBlock || /^[A-Z_]+\b/.test(line) || INDENTED.test(line);
    const match: RegExpExecArray | null = isInstruction
      ? INSTRUCTION.exec(line.replace(/[\r\n]+$/, ''))
      : null;
    const last = found.at(-1);
    if (match !== null) {
      const name: string = match[1] ?? '';
      const argument: string = match[2] ?? '';
      isBlock = /^\s*>\s*$/.test(argument) || (argument.trim() === '' && name.toUpperCase() !== 'NODE');
      const start = isBlock ? at + line.length : at + line.indexOf(argument);
      found.push({ name: name.toUpperCase(), value: isBlock ? '' : argument, start });
    } else if (isBlock && last !== undefined) last.value += line;
    at += line.length;
  }
  return found;
}

interface PipeNode {
  readonly name: string;
  readonly sql: string;
  readonly start: number;
  readonly type: string;
  readonly description: string | undefined;
}

/** The endpoint of each pipe, with the nodes and other pipes that it reads as its WITH clause. */
export function readPipes(files: readonly ExportFile[]): readonly ForeignQuery[] {
  const pipes = files.filter(({ path }) => /\.pipe$/i.test(path)).map(readPipe);
  const byName = new Map(pipes.map((pipe) => [pipe.name, pipe]));
  return pipes.flatMap((pipe) => queriesOf(pipe, byName));
}

interface Pipe {
  readonly name: string;
  readonly file: ExportFile;
  readonly nodes: readonly PipeNode[];
  readonly description: string | undefined;
  /** The nodes that answer calls; empty for pipes that write rows. */
  readonly endpoints: readonly PipeNode[];
  readonly isOther: boolean;
}

function readPipe(file: ExportFile): Pipe {
  const { nodes, description } = nodesOf(instructionsOf(file.text));
  const named = nodes.filter(({ type }) => /^endpoint$/i.test(type));
  const isOther = nodes.some(({ type }) => /^(materialized|copy|sink)$/i.test(type));
  const last = nodes.at(-1);
  const endpoints = named.length > 0 ? named : last === undefined || isOther ? [] : [last];
  return { name: nameOf(file, '.pipe'), file, nodes, description, endpoints, isOther };
}

function nameOf({ path }: ExportFile, extension: string): string {
  const name = path.split('/').at(-1) ?? path;
  return name.slice(0, name.length - extension.length);
}

function queriesOf(pipe: Pipe, byName: ReadonlyMap<string, Pipe>): readonly ForeignQuery[] {
  const { name, file, endpoints } = pipe;
  const base = {
    tool: 'tinybird',
    dialect: 'clickhouse',
    engine: 'clickhouse',
    declarations: [],
    file: file.shown,
  } as const;
  if (endpoints.length === 0) {
    const reason = pipe.isOther
      ? 'The pipe materializes, copies or exports rows and is no endpoint: create a materialized view'
      : 'The pipe has no node with SQL';
    return [
      { ...base, title: name, segments: [name], sql: '', locate: () => ({ line: 1, column: 1 }), reason },
    ];
  }
  const nodes = [...pipesAsNodes(pipe, byName, 0), ...pipe.nodes];
  return endpoints.map((node) => {
    const { sql, offset } = joined(node, nodes);
    const text = node.description ?? pipe.description;
    const title = endpoints.length > 1 ? `${name} ${node.name}` : name;
    return {
      ...base,
      title,
      segments: [title],
      sql,
      ...(text === undefined ? {} : { description: text }),
      locate: (at) => positionAt(file.text, offset(at)),
    };
  });
}

const MAX_PIPES = 5;

/** Other pipes that this one reads, as nodes; their places are the end of the file. */
function pipesAsNodes(pipe: Pipe, byName: ReadonlyMap<string, Pipe>, depth: number): readonly PipeNode[] {
  if (depth >= MAX_PIPES) return [];
  const words = new Set(pipe.nodes.flatMap(({ sql }) => [...wordsOf(sql)]));
  const own = new Set(pipe.nodes.map((node) => node.name));
  return [...words].flatMap((word): readonly PipeNode[] => {
    const other = byName.get(word);
    const [endpoint] = other?.endpoints ?? [];
    if (other === undefined || endpoint === undefined || other === pipe || own.has(word)) return [];
    const nodes = [...pipesAsNodes(other, byName, depth + 1), ...other.nodes];
    const { sql } = joined(endpoint, nodes);
    return sql.length > MAX_INLINED
      ? []
      : [{ name: word, sql, start: pipe.file.text.length, type: '', description: undefined }];
  });
}

const MAX_INLINED = 100_000;

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

/** The node's SQL with the nodes before it that it reads, directly or not. */
function joined(
  node: PipeNode,
  nodes: readonly PipeNode[],
): { readonly sql: string; readonly offset: (at: number) => number } {
  const own = trimmed(node);
  const used = usedNodes(node, nodes);
  const isTemplate = [...used, node].some(({ sql }) => isTemplated(sql));
  if (used.length === 0) return { sql: own.sql, offset: (at) => own.start + at };
  const pieces: { readonly text: string; readonly start: number }[] = [
    { text: isTemplate ? '%\nWITH ' : 'WITH ', start: own.start },
  ];
  for (const [index, each] of used.entries()) {
    const part = withoutMark(trimmed(each));
    pieces.push(
      { text: `${index === 0 ? '' : ',\n'}${each.name} AS (\n`, start: part.start },
      { text: part.sql, start: part.start },
      { text: '\n)', start: part.start },
    );
  }
  const body = withoutMark(own);
  const [, keyword] = /^(\s*with\b)/i.exec(body.sql) ?? [];
  const rest =
    keyword === undefined
      ? body
      : { sql: body.sql.slice(keyword.length), start: body.start + keyword.length };
  pieces.push(
    { text: keyword === undefined ? '\n' : ',\n', start: rest.start },
    { text: rest.sql, start: rest.start },
  );
  return {
    sql: pieces.map(({ text }) => text).join(''),
    offset: (at) => {
      let passed = 0;
      for (const { text, start } of pieces) {
        if (at < passed + text.length) return start + (text.length > 12 ? at - passed : 0);
        passed += text.length;
      }
      return rest.start;
    },
  };
}

interface Piece {
  readonly sql: string;
  readonly start: number;
}

function trimmed({ sql, start }: PipeNode): Piece {
  const lead = sql.length - sql.trimStart().length;
  return { sql: sql.trim().replace(/;\s*$/, ''), start: start + lead };
}

function isTemplated(sql: string): boolean {
  return /^\s*%[ \t]*(\r?\n|$)/.test(sql);
}

/** Without the `%` that marks a template. */
function withoutMark({ sql, start }: Piece): Piece {
  const mark = /^\s*%[ \t]*(\r?\n|$)\s*/.exec(sql)?.[0].length ?? 0;
  return { sql: sql.slice(mark), start: start + mark };
}

function usedNodes(node: PipeNode, nodes: readonly PipeNode[]): readonly PipeNode[] {
  const byName = new Map(nodes.map((each) => [each.name, each]));
  const used = new Set<PipeNode>();
  const open = [node];
  for (let each = open.pop(); each !== undefined; each = open.pop())
    for (const word of wordsOf(each.sql)) {
      const found = byName.get(word);
      if (found === undefined || found === node || found === each || used.has(found)) continue;
      used.add(found);
      open.push(found);
    }
  return nodes.filter((each) => used.has(each));
}

/** Names in code, outside of strings and comments. */
function wordsOf(sql: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { kind, start, end } of readRegions(sql, 'clickhouse', () => undefined)) {
    if (kind === 'code')
      for (const [word] of sql.slice(start, end).matchAll(/[A-Za-z_]\w*/g)) words.add(word);
    if (kind === 'quoted') words.add(sql.slice(start + 1, end - 1));
  }
  return words;
}

/** A data source as CREATE TABLE. */
export function readDatasource(file: ExportFile): TableDefinition | ImportProblem {
  const name = nameOf(file, '.datasource');
  const values = new Map(instructionsOf(file.text).map(({ name: key, value }) => [key, value.trim()]));
  const schema = values.get('SCHEMA');
  const problem = (message: string): ImportProblem => ({ file: file.shown, line: 1, message });
  if (!/^[A-Za-z_]\w*$/.test(name)) return problem('the name of the file is no name of a table');
  if (schema === undefined || schema === '') return problem('the data source has no SCHEMA');
  const columns = columnsOf(schema.replace(/^>\s*/, ''));
  const engine = (values.get('ENGINE') ?? 'MergeTree').replace(/^["']|["']$/g, '');
  if (!/^\w+$/.test(engine) || columns.length === 0)
    return problem('the data source has no columns, or no engine');
  const option = (key: string): string | undefined => values.get(key)?.replace(/^(["'])(.*)\1$/s, '$2');
  const version = option('ENGINE_VER') ?? option('ENGINE_SIGN') ?? option('ENGINE_COLUMNS');
  const [partition, key, ttl] = [
    option('ENGINE_PARTITION_KEY'),
    option('ENGINE_SORTING_KEY') ?? option('ENGINE_PRIMARY_KEY'),
    option('ENGINE_TTL'),
  ];
  const versions = [option('ENGINE_SIGN'), option('ENGINE_VER')].filter((each) => each !== undefined);
  const given =
    version === undefined ? '' : `(${versions.length > 0 ? versions.join(', ') : `(${version})`})`;
  const lines = [
    `CREATE TABLE ${name} (`,
    columns.map((column) => `  ${column}`).join(',\n'),
    `) ENGINE = ${engine === 'Join' || engine === 'Null' ? engine : `${engine}${given}`}`,
    ...(partition === undefined || partition === '' ? [] : [`PARTITION BY ${partition}`]),
    ...(engine.endsWith('MergeTree')
      ? [`ORDER BY ${key === undefined || key === '' ? 'tuple()' : `(${key})`}`]
      : []),
    ...(ttl === undefined || ttl === '' ? [] : [`TTL ${ttl}`]),
  ];
  return { name, sql: `${lines.join('\n')};\n`, file: file.shown };
}

/** Columns at the top level, without the JSON paths of their values. */
function columnsOf(schema: string): readonly string[] {
  const columns: string[] = [];
  let depth = 0;
  let from = 0;
  const add = (to: number): void => {
    const column = schema
      .slice(from, to)
      .replace(/`json:[^`]*`/g, '')
      .replace(/\s+/g, ' ')
      .trim();
    if (column !== '') columns.push(column);
    from = to + 1;
  };
  for (let at = 0; at < schema.length; at++) {
    const char = schema[at];
    if (char === '(' || char === '[') depth++;
    else if (char === ')' || char === ']') depth--;
    else if (char === '`' || char === "'") {
      const close = schema.indexOf(char, at + 1);
      if (close < 0) break;
      at = close;
    } else if (char === ',' && depth === 0) add(at);
  }
  add(schema.length);
  return columns;
}
