// The tables and columns that a BigQuery query names, by two parsers: Millrace's own and node-sql-parser.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { GRAMMAR } from '../../../src/sql/dialects/bigquery/dialect.ts';
import { read, STRICT_LIMITS } from '../../../src/sql/dialects/read/read.ts';

/** In lower case. `defined`: names that the query itself gives to tables, columns, records and elements. */
export interface NameLists {
  readonly tables: ReadonlySet<string>;
  readonly columns: ReadonlySet<string>;
  /** Names in paths of three or more parts. */
  readonly deep: ReadonlySet<string>;
  readonly defined: ReadonlySet<string>;
}

/** Of Millrace's tree: every table of FROM, and every part of every path. Throws UnconvertedError. */
export function ownLists(text: string): NameLists {
  const [tables, columns] = [new Set<string>(), new Set<string>()];
  const [deep, defined] = [new Set<string>(), new Set<string>()];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!isRecord(node)) return;
    const names = Array.isArray(node['parts']) ? node['parts'].flatMap(nameIn) : [];
    if (node['kind'] === 'table') tables.add(names.join('.'));
    if (node['kind'] === 'path') names.forEach((name) => columns.add(name));
    if (node['kind'] === 'path' && names.length > 2) names.forEach((name) => deep.add(name));
    if (node['kind'] === 'field') nameIn(node['name']).forEach((name) => columns.add(name));
    const given = [node['alias'], ...('query' in node ? [node['name']] : [])];
    given.flatMap(nameIn).forEach((name) => defined.add(name));
    if (node['kind'] === 'unnest') nameIn(node['offset']).forEach((name) => defined.add(name));
    if (node['kind'] === 'star') columns.add('*');
    const lists = [node['using'], node['except']].flatMap((list) => (Array.isArray(list) ? list : []));
    lists.flatMap(nameIn).forEach((name) => columns.add(name));
    Object.values(node).forEach(visit);
  };
  visit(read(text, GRAMMAR, { isStrict: true, limits: STRICT_LIMITS }).query);
  return { tables, columns, deep, defined };
}

function isRecord(node: unknown): node is Readonly<Record<string, unknown>> {
  return typeof node === 'object' && node !== null;
}

function nameIn(node: unknown): readonly string[] {
  return isRecord(node) && typeof node['name'] === 'string' ? [node['name'].toLowerCase()] : [];
}

/** A message if the text cannot be parsed in 2 s. */
export type OtherLists = Pick<NameLists, 'tables' | 'columns'> | string;

export interface OtherReader {
  readonly read: (text: string) => Promise<OtherLists>;
  readonly close: () => Promise<unknown>;
}

const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const { Parser } = require('node-sql-parser/build/bigquery.js');
parentPort.on('message', (text) => {
  try {
    const { tableList, columnList } = new Parser().parse(text, { database: 'bigquery' });
    const last = (list) => new Set(list.map((entry) => entry.split('::').slice(2).join('::').toLowerCase()));
    parentPort.postMessage({ tables: last(tableList), columns: last(columnList) });
  } catch (error) {
    parentPort.postMessage(String(error.message));
  }
});
parentPort.postMessage('ready');`;

const LIMIT_MS = 2000;

/** Runs node-sql-parser in a thread, which is replaced if a text takes longer than 2 s. */
export function openOtherReader(): OtherReader {
  let worker: Worker | undefined;
  const start = async (): Promise<Worker> => {
    const started = new Worker(PROGRAM, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 256 } });
    await once(started, 'message');
    return started;
  };
  return {
    read: async (text) => {
      const current = (worker ??= await start());
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      current.postMessage(text);
      const reply = once(current, 'message', { signal: AbortSignal.timeout(LIMIT_MS) });
      try {
        const [lists] = (await reply) as [OtherLists]; // as the program posts it
        return lists;
      } catch {
        await current.terminate();
        worker = undefined;
        return 'timeout';
      }
    },
    close: async () => worker?.terminate(),
  };
}
