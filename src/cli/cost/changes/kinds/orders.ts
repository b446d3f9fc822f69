// Orders that the table has already: the engine reads as many rows as LIMIT asks for, if the order is written by the columns of the key.
import type { Node } from '../../../../sql/clickhouse/tree/nodes.ts';
import { nodesOf, partOf, wordOf } from '../../../../sql/clickhouse/tree/visit.ts';
import { isDate, isDateTime, isNumeric } from '../../../../sql/types/traits.ts';
import type { ChangeKind, ChangeSubject } from '../change.ts';
import { bare, calledWith, keyType, numberOf, stringOf, written } from '../subject.ts';

export const ORDERS: ChangeKind = {
  name: 'orders',
  *propose(subject) {
    for (const select of nodesOf(subject.tree.root, 'select')) {
      if (partOf(select, 'limit') === undefined) continue;
      for (const item of partOf(select, 'order-by')?.parts ?? []) {
        const text = item.kind === 'order-item' ? byColumn(subject, item) : undefined;
        if (text === undefined) continue;
        yield {
          code: 'cost.order',
          at: item,
          reason: `ORDER BY ${written(subject, item)} sorts all rows, and the table has this order`,
          edits: [{ range: item, text }],
        };
      }
    }
  },
};

/** Returns the same order by the column alone. */
function byColumn(subject: ChangeSubject, item: Node): string | undefined {
  const [value, ...others] = item.parts;
  if (value === undefined || others.length > 0) return undefined;
  const direction = subject.tree.cursor.slice(value.to, item.to).trim().toUpperCase();
  if (!/^(?:ASC|DESC|)$/.test(direction)) return undefined;
  const negated = negatedOf(subject, value);
  const same = negated === undefined ? sameOrder(subject, value) : undefined;
  const key = negated ?? same;
  if (key === undefined) return undefined;
  const isDescending = (direction === 'DESC') !== (negated !== undefined);
  return `${written(subject, key)}${isDescending ? ' DESC' : ''}`;
}

/** Returns the column of `-key`, `-toUnixTimestamp(key)`, `0 - key` and `key * -1`. */
function negatedOf(subject: ChangeSubject, value: Node): Node | undefined {
  const [first, second] = value.parts;
  const isSign = value.kind === 'sign' && wordOf(subject.tree, { at: value.from }) === '-';
  const isFromZero = value.kind === 'binary' && numberOf(subject, first) === 0;
  const operator = value.kind === 'binary' ? subject.tree.cursor.text(value.at) : '';
  const operand = isSign
    ? first
    : isFromZero && operator === '-'
      ? second
      : (calledWith(subject, value, 'negate')?.[0] ?? undefined);
  if (operand === undefined) return undefined;
  const inner = bare(operand);
  const [time] = calledWith(subject, inner, 'tounixtimestamp', 'toint64', 'touint32') ?? [];
  return orderedKey(subject, time ?? inner);
}

/** The negative of a large one is positive. */
const UNSIGNED: ReadonlySet<string> = new Set(['UInt64', 'UInt128', 'UInt256']);

function orderedKey(subject: ChangeSubject, node: Node): Node | undefined {
  const type = keyType(subject, node);
  if (type === undefined || UNSIGNED.has(type.name)) return undefined;
  return isDate(type) || isDateTime(type) || isNumeric(type) ? node : undefined;
}

/** Returns the column of `formatDateTime(key, '%F %T')`, and `concat(key, '')`. */
function sameOrder(subject: ChangeSubject, value: Node): Node | undefined {
  const [time, format, zone] = calledWith(subject, value, 'formatdatetime') ?? [];
  const isWhole = /^(?:%Y-%m-%d|%F)[ T](?:%H:%[iM]:%S|%T)$/.test(stringOf(subject, format) ?? '');
  if (time !== undefined && isWhole && zone === undefined)
    return keyType(subject, time)?.name === 'DateTime' ? time : undefined;
  const parts = value.kind === 'concat' ? value.parts : (calledWith(subject, value, 'concat') ?? []);
  const [key, ...others] = parts.filter((each) => stringOf(subject, each) !== '');
  const isText = parts.length > 1 && others.length === 0 && keyType(subject, key)?.name === 'String';
  return isText ? key : undefined;
}
