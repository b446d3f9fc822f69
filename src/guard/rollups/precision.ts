// Finds out whether a statement has times of a higher precision than those of a table. To compare these, the engine multiplies
// the times of all rows that it reads, and fails on one that is too large: it may be a row that the statement itself never reads.
import type { Node, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { nodesOf, argumentsOf, nameOf, sourceOf } from '../../sql/clickhouse/tree/visit.ts';
import { unfitNode, type Unfit } from './term.ts';

/**
 * Returns the first such time; `timeType` is the engine's type of the table's times. Only times with fractions of seconds are multiplied.
 */
export function finerTime(tree: Tree, timeType: string): Unfit | undefined {
  const [, own] = /^DateTime64\((\d)/.exec(timeType) ?? [];
  if (own === undefined) return undefined;
  const isFiner = (scale: number): boolean => scale > Number(own);
  const call = nodesOf(tree.root, 'call').find((each) => isFiner(scaleOf(tree, each)));
  if (call !== undefined) return unfitNode(tree, call, FINER);
  const quoted = writtenScale(tree.cursor.sql, isFiner);
  return quoted === undefined ? undefined : { quoted, text: FINER };
}

const FINER = 'is more precise than the time of the table';

/** Reads the scales of units and types, wherever they are in a text. */
function writtenScale(sql: string, isFiner: (scale: number) => boolean): string | undefined {
  const types = [...sql.matchAll(/DateTime64\s*\(\s*(\d)/gi)].map(
    ([text, scale]) => [text, Number(scale)] as const,
  );
  const units = [...sql.matchAll(/(nano|micro|milli)second/gi)].map(
    ([text, unit = '']) => [text, UNITS.get(unit.toLowerCase()) ?? FINEST] as const,
  );
  return [...types, ...units].find(([, scale]) => isFiner(scale))?.[0];
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['nano', 9],
  ['micro', 6],
  ['milli', 3],
]);
const FINEST = 9;

/** Returns the highest scale of a call that returns times with fractions; 0 for other calls. */
function scaleOf(tree: Tree, call: Node): number {
  const name = nameOf(tree, call).toLowerCase();
  if (!/datetime64|timestamp64|^now(?:inblock)?64$/.test(name)) return 0;
  const [, unit] = /timestamp64(nano|micro|milli)/.exec(name) ?? [];
  if (unit !== undefined) return UNITS.get(unit) ?? FINEST;
  const list = argumentsOf(call).slice(name.startsWith('now') ? 0 : 1);
  const scales = list
    .filter(({ kind }) => kind !== 'string')
    .map((node) => (node.kind === 'number' ? Number(sourceOf(tree, node)) : FINEST));
  return scales.length === 0 ? DEFAULT_SCALE : Math.max(...scales);
}

/** A call that specifies no scale has this one. */
const DEFAULT_SCALE = 3;
