// Reads aliases of columns and tables.
import type { Name } from '../tree.ts';
import { syntax } from '../context.ts';
import {
  has,
  isNameToken,
  isSymbol,
  next,
  peek,
  readList,
  readMember,
  readName,
  takeWords,
  type Source,
} from './source.ts';

/** Words that are no alias if a certain token follows them. */
const UNLESS: Readonly<Record<string, RegExp>> = {
  OFFSET: /^(?:\d|@|:|\()/,
  SAMPLE: /^\($/,
  PIVOT: /^\($/,
  UNPIVOT: /^\($/,
  MATCH_RECOGNIZE: /^\($/,
  PARTITION: /^\($/,
  AT: /^\($/,
  BEFORE: /^\($/,
  CHANGES: /^\($/,
  ASOF: /^JOIN$/,
  ANTI: /^JOIN$/,
  SEMI: /^JOIN$/,
  USE: /^(?:INDEX|KEY)$/,
  FORCE: /^(?:INDEX|KEY)$/,
  IGNORE: /^(?:INDEX|KEY)$/,
  INDEXED: /^BY$/,
  CONNECT: /^BY$/,
  START: /^WITH$/,
  LOCK: /^IN$/,
};

function isAlias(source: Source): boolean {
  const { upper, kind } = peek(source);
  if (kind !== 'word') return kind === 'quoted';
  const { notAliases } = source.grammar;
  const follower = peek(source, 1);
  if (notAliases.has(upper) || (upper === 'OFFSET' && follower.kind === 'parameter')) return false;
  return UNLESS[upper]?.test(follower.upper) !== true;
}

/** `AS name` or `name`; undefined if there is none. */
export function readAlias(source: Source): Name | undefined {
  const isExplicit = takeWords(source, 'AS');
  if (peek(source).kind === 'string' && has(source, 'string aliases')) {
    const { text, start } = next(source);
    return { name: text, at: start };
  }
  // Other readers accept some reserved words there.
  if (isExplicit && !source.isStrict && isNameToken(source)) return readMember(source);
  return isExplicit || isAlias(source) ? readName(source, 'an alias') : undefined;
}

/** Names in parentheses after an alias. Types after the names are not supported. */
export function readColumnNames(source: Source): readonly Name[] {
  return readList(source, () => {
    const name = readName(source);
    if (!isSymbol(source, ',') && !isSymbol(source, ')'))
      syntax(peek(source).start, 'Types of columns after an alias are not supported');
    return name;
  });
}
