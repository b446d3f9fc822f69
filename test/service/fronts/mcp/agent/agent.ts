// An agent without a model: it chooses tools, tables, columns, paths and values only by what the texts of the server say, and corrects
// itself by their hints. If it can answer, the texts are sufficient.
import type { Client, Tool } from '@modelcontextprotocol/client';
import { ask, type Asked } from '../world/world.ts';

/** What somebody wants to know, in words that are not the server's names. */
export interface Question {
  readonly ask: string;
  /** What is counted or computed; a word of a column, as `{word}`, stands for its path. Default: count(). */
  readonly value?: string;
  /** Words of the thing that rows are about. */
  readonly about: string;
  /** Pairs of a word of a column and a word of a value that it has. */
  readonly only?: Readonly<Record<string, string>>;
  /** A word of the column that groups. */
  readonly by?: string;
  /** How the agent spells a column at first. */
  readonly misspelled?: readonly [word: string, spelling: string];
  readonly dialect?: 'bigquery';
}

/** A call of the tool of a saved query. */
export interface SavedQuestion {
  readonly ask: string;
  /** Words of the tool's description. */
  readonly about: string;
  /** Words of the arguments' descriptions, with values; a value is checked against the argument's enum. */
  readonly given: Readonly<Record<string, string>>;
}

interface Path {
  readonly path: string;
  readonly values: readonly string[];
}

export interface Agent {
  /** Cells of the rows. */
  readonly answer: (question: Question | SavedQuestion) => Promise<readonly (readonly string[])[]>;
  /** Names of the tools that were called, in order. */
  readonly called: readonly string[];
}

const MAX_CORRECTIONS = 3;

export async function createAgent(client: Client): Promise<Agent> {
  const { tools } = await client.listTools();
  const called: string[] = [];
  const use = async (tool: Tool, args: Readonly<Record<string, unknown>>): Promise<Asked> => {
    called.push(tool.name);
    return ask(client, tool.name, args);
  };
  const describeTool = toolFor(tools, 'lists tables columns types paths');
  const checkTool = toolFor(tools, 'checks query without running line column error');
  const queryTool = toolFor(tools, 'runs query returns rows');

  /** The endpoint and table whose lines have most of the words. */
  const tableFor = async (about: string): Promise<readonly [endpoint: string, table: string]> => {
    const { text } = await use(describeTool, {});
    const found = [...text.matchAll(/^- (\S+): (.*)\n {2}tables: (.*)$/gm)].flatMap(([, endpoint = '', description = '', list = '']) =>
      list.split(', ').map((table) => ({ endpoint, table, score: 3 * scoreOf(table, about) + scoreOf(description, about) })),
    );
    const best = found.toSorted((a, b) => b.score - a.score)[0];
    if (best === undefined) throw new Error(`no table in: ${text}`);
    return [best.endpoint, best.table];
  }; // prettier-ignore

  /** Columns and paths of a table, with values. */
  const pathsOf = async (endpoint: string, table: string): Promise<readonly Path[]> => {
    const { text } = await use(describeTool, { endpoint, table });
    const lines = text.slice(text.indexOf(`\ntable ${table}`)).matchAll(/^\s*- (.+?): [A-Za-z].*?(?: = (.*))?$/gm);
    return [...lines].map(([, path = '', values = '']) => ({ path, values: [...values.matchAll(/"([^"]*)"/g)].map(([, value = '']) => value) }));
  }; // prettier-ignore

  /** Sends the query to the check until it is valid, changing what a hint says. */
  const corrected = async (endpoint: string, sql: string, dialect: string | undefined): Promise<string> => {
    let query = sql;
    for (let times = 0; times <= MAX_CORRECTIONS; times += 1) {
      const checked = await use(checkTool, { endpoint, sql: query, ...(dialect && { dialect }) });
      if (!checked.isError) return query;
      const better = /Did you mean (\S+)\?/.exec(checked.text)?.[1];
      const [, line = '', column = ''] = /line (\d+), column (\d+)/.exec(checked.text) ?? [];
      if (better === undefined || line === '') throw new Error(`no way on: ${query}\n${checked.text}`);
      query = replaceAt(query, Number(line), Number(column), better);
    }
    throw new Error(`never valid: ${query}`);
  };

  const answerQuery = async (question: Question) => {
    const { value = 'count()', about, only = {}, by, misspelled, dialect } = question;
    const [endpoint, table] = await tableFor(about);
    const paths = await pathsOf(endpoint, table);
    const column = (word: string): string => (misspelled?.[0] === word ? misspelled[1] : pathFor(paths, word).path);
    const conditions = Object.entries(only).map(([word, wanted]) => `${column(word)} = '${valueFor(pathFor(paths, word), wanted)}'`);
    const group = by === undefined ? undefined : by.replace(/\{(\w+)\}/g, (_, word: string) => column(word));
    const computed = value.replace(/\{(\w+)\}/g, (_, word: string) => column(word));
    const sql = [
      `SELECT ${group === undefined ? '' : `${group} AS g, `}${computed} AS v`,
      `FROM ${table}`,
      ...(conditions.length === 0 ? [] : [`WHERE ${conditions.join(' AND ')}`]),
      ...(group === undefined ? [] : ['GROUP BY g', 'ORDER BY g']),
    ].join('\n');
    return use(queryTool, { endpoint, sql: await corrected(endpoint, sql, dialect), ...(dialect && { dialect }) });
  }; // prettier-ignore

  const answerSaved = async ({ about, given }: SavedQuestion) => {
    const tool = toolFor(tools, about);
    const properties = Object.entries(tool.inputSchema.properties ?? {}) as readonly (readonly [string, { description?: string; enum?: readonly string[] }])[]; // JSON Schema
    const args = Object.entries(given).map(([words, value]) => {
      const found = properties.toSorted(([a, one], [b, other]) => scoreOf(`${b} ${other.description}`, words) - scoreOf(`${a} ${one.description}`, words))[0];
      if (found === undefined) throw new Error(`${tool.name} has no argument for ${words}`);
      const [name, { enum: values }] = found;
      return [name, values?.find((each) => each.includes(value)) ?? value] as const;
    });
    return use(tool, Object.fromEntries(args));
  }; // prettier-ignore

  return {
    called,
    answer: async (question) => {
      const asked = await ('given' in question ? answerSaved(question) : answerQuery(question));
      if (asked.isError) throw new Error(`${question.ask}: ${asked.text}`);
      return cellsOf(asked.text);
    },
  };
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[a-z]{3,}/g) ?? [];

/** How many of the words, or their beginnings, a text has. */
function scoreOf(text: string, words: string): number {
  const known = wordsOf(text);
  return wordsOf(words).filter((word) => known.some((each) => each.startsWith(word.slice(0, 5)))).length;
}

function toolFor(tools: readonly Tool[], words: string): Tool {
  const scored = tools.map((tool) => ({ tool, score: scoreOf(`${tool.title} ${tool.description}`, words) / Math.sqrt(1 + wordsOf(tool.description ?? '').length / 40) })); // prettier-ignore
  const best = scored.toSorted((a, b) => b.score - a.score)[0];
  if (best === undefined) throw new Error(`no tool for ${words}`);
  return best.tool;
}

/** The path whose last name is most like the word. */
function pathFor(paths: readonly Path[], word: string): Path {
  const exact = paths.find(({ path }) => path === word);
  const last = paths.find(({ path }) => path.split(/\W+/).findLast((part) => part !== '') === word);
  const like = paths.find(({ path }) => path.includes(word));
  const found = exact ?? last ?? like;
  if (found === undefined)
    throw new Error(`no column for ${word}: ${paths.map(({ path }) => path).join(', ')}`);
  return found;
}

function valueFor({ path, values }: Path, wanted: string): string {
  const found = values.find((value) => value.toLowerCase().includes(wanted.toLowerCase()));
  if (found === undefined) throw new Error(`no value of ${path} for ${wanted}: ${values.join(', ')}`);
  return found;
}

/** The name at a place exchanged for another. */
function replaceAt(text: string, line: number, column: number, name: string): string {
  const lines = text.split('\n');
  const chosen = lines[line - 1] ?? '';
  lines[line - 1] = chosen.slice(0, column - 1) + chosen.slice(column - 1).replace(/^[\w.]+/, name);
  return lines.join('\n');
}

/** The rows of an answer's text, without the header. */
function cellsOf(text: string): readonly (readonly string[])[] {
  const body = /^<rows (\S+)>\n([\s\S]*)\n<\/rows \1>$/m.exec(text)?.[2] ?? '';
  return body
    .split('\n')
    .slice(1)
    .map((line) => line.split('|'));
}
