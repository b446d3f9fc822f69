// Prints syntax trees compactly, with parentheses around every operation.
import type {
  Call,
  Expression,
  FromItem,
  Item,
  Name,
  Order,
  Query,
  Select,
  TypeName,
  Window,
} from '../../../src/sql/dialects/tree.ts';

const list = (values: readonly Expression[]): string => values.map(show).join(', ');
const not = (isNot: boolean): string => (isNot ? 'NOT ' : '');
const names = (all: readonly Name[]): string => all.map(({ name }) => name).join(', ');

/** One expression. */
function show(each: Expression): string {
  switch (each.kind) {
    case 'string':
      return JSON.stringify(each.value);
    case 'bytes':
      return `BYTES${JSON.stringify(each.value)}`;
    case 'number':
      return each.text;
    case 'boolean':
      return String(each.value);
    case 'null':
      return 'NULL';
    case 'time':
      return `${each.type}${JSON.stringify(each.value)}`;
    case 'parameter':
      return `@${each.name}`;
    case 'path':
      return each.parts.map(({ name }) => name).join('.');
    case 'field':
      return `${show(each.of)}:${each.name.name}`;
    case 'index':
      return `${show(each.of)}[${each.base}+${show(each.index)}]`;
    case 'slice':
      return `${show(each.of)}[${each.from === undefined ? '' : show(each.from)}:${each.to === undefined ? '' : show(each.to)}]`;
    case 'call':
      return showCall(each);
    case 'cast':
      return `${each.isSafe ? 'TRY_' : ''}CAST(${show(each.value)} AS ${showType(each.type)})`;
    case 'extract':
      return `EXTRACT(${each.part.name}${each.part.day === undefined ? '' : ` ${each.part.day}`} FROM ${show(each.value)}${each.zone === undefined ? '' : ` ZONE ${show(each.zone)}`})`;
    case 'at_zone':
      return `(${show(each.value)} ZONE ${show(each.zone)})`;
    case 'interval':
      return `INTERVAL ${show(each.value)} ${each.unit.name}`;
    case 'intervals':
      return `INTERVALS ${each.parts.map(({ value, unit }) => `${show(value)} ${unit.name}`).join(' ')}`;
    case 'unary':
      return `(${each.operator} ${show(each.value)})`;
    case 'collate':
      return `(${show(each.value)} COLLATE ${each.collation.name})`;
    case 'chain':
      return `(${each.values.map(show).join(` ${each.operator} `)})`;
    case 'binary':
      return `(${show(each.left)} ${each.operator} ${show(each.right)})`;
    case 'like':
      return `(${show(each.value)} ${not(each.isNot)}${each.operator} ${show(each.pattern)}${each.escape === undefined ? '' : ` ESCAPE ${show(each.escape)}`})`;
    case 'quantified':
      return `(${show(each.value)} ${each.operator} ${each.quantifier} ${show(each.among)})`;
    case 'between':
      return `(${show(each.value)} ${not(each.isNot)}BETWEEN ${show(each.low)} AND ${show(each.high)})`;
    case 'in':
      return `(${show(each.value)} ${not(each.isNot)}IN ${showAmong(each.among)})`;
    case 'is':
      return `(${show(each.value)} IS ${not(each.isNot)}${each.what})`;
    case 'case':
      return `CASE${each.subject === undefined ? '' : ` ${show(each.subject)}`}${each.branches.map(({ when, result }) => ` WHEN ${show(when)} THEN ${show(result)}`).join('')}${each.otherwise === undefined ? '' : ` ELSE ${show(each.otherwise)}`} END`;
    case 'array':
      return `[${list(each.items)}]`;
    case 'row':
      return `ROW(${list(each.items)})`;
    case 'struct':
      return `STRUCT(${each.fields.map(({ value, alias }) => `${show(value)}${alias === undefined ? '' : ` AS ${alias.name}`}`).join(', ')})`;
    case 'lambda':
      return `(${names(each.parameters)} -> ${show(each.body)})`;
    case 'named_argument':
      return `${each.name.name} => ${show(each.value)}`;
    case 'query':
      return `${each.form === 'value' ? '' : each.form.toUpperCase()}(${showQuery(each.query)})`;
    case 'unread':
      return `UNREAD<${each.text}>`;
  }
}

function showAmong(among: Extract<Expression, { kind: 'in' }>['among']): string {
  if (among.kind === 'list') return `(${list(among.values)})`;
  return among.kind === 'query' ? `(${showQuery(among.query)})` : `UNNEST(${show(among.array)})`;
}

function showCall(call: Call): string {
  const inside = [
    `${call.isDistinct ? 'DISTINCT ' : ''}${call.isStar ? '*' : list(call.args)}`,
    ...(call.orderBy.length === 0 ? [] : [`ORDER ${showOrders(call.orderBy)}`]),
    ...(call.separator === undefined ? [] : [`SEPARATOR ${show(call.separator)}`]),
    ...(call.limit === undefined ? [] : [`LIMIT ${call.limit}`]),
    ...(call.having === undefined ? [] : [`HAVING ${call.having.extreme} ${show(call.having.by)}`]),
  ].join(' ');
  const after = [
    `${call.isSafe ? 'safe.' : ''}${call.name}(${inside})`,
    ...(call.withinGroup === undefined ? [] : [`WITHIN(${showOrders(call.withinGroup)})`]),
    ...(call.filter === undefined ? [] : [`FILTER(${show(call.filter)})`]),
    ...(call.nulls === undefined ? [] : [`${call.nulls} NULLS`]),
    ...(call.over === undefined
      ? []
      : [`OVER ${'name' in call.over ? call.over.name : showWindow(call.over)}`]),
  ];
  return after.join(' ');
}

function showWindow({ base, partitionBy, orderBy, frame }: Window): string {
  const parts = [
    ...(base === undefined ? [] : [base.name]),
    ...(partitionBy.length === 0 ? [] : [`PARTITION ${list(partitionBy)}`]),
    ...(orderBy.length === 0 ? [] : [`ORDER ${showOrders(orderBy)}`]),
    ...(frame === undefined ? [] : [frame]),
  ];
  return `(${parts.join(' ')})`;
}

function showOrders(orders: readonly Order[]): string {
  return orders
    .map(
      ({ value, isDescending, nulls }) =>
        `${show(value)}${isDescending ? ' DESC' : ''}${nulls === undefined ? '' : ` NULLS ${nulls}`}`,
    )
    .join(', ');
}

function showType({ name, of, sizes }: TypeName): string {
  if (of !== undefined) return `${name}<${showType(of)}>`;
  return sizes === undefined || sizes.length === 0 ? name : `${name}(${sizes.join(', ')})`;
}

/** A whole query. */
export function showQuery(query: Query): string {
  const tables = query.tables.map(
    ({ name, columns, isRecursive, query: own }) =>
      `${isRecursive === true ? 'RECURSIVE ' : ''}${name.name}${columns === undefined ? '' : `(${names(columns)})`} AS (${showQuery(own)})`,
  );
  const parts = [
    ...(tables.length === 0 ? [] : [`WITH ${tables.join(', ')}`]),
    showBody(query.body),
    ...(query.orderBy.length === 0 ? [] : [`ORDER ${showOrders(query.orderBy)}`]),
    ...(query.limit === undefined ? [] : [`LIMIT ${query.limit}${query.hasTies === true ? ' TIES' : ''}`]),
    ...(query.offset === undefined ? [] : [`OFFSET ${query.offset}`]),
  ];
  return parts.join(' ');
}

function showBody(body: Query['body']): string {
  switch (body.kind) {
    case 'select':
      return showSelect(body);
    case 'query':
      return `{${showQuery(body)}}`;
    case 'rows':
      return `VALUES ${body.rows.map((row) => `(${list(row)})`).join(', ')}`;
    case 'set':
      return body.members
        .map((each) => (each.kind === 'query' ? `{${showQuery(each)}}` : showSelect(each)))
        .join(` ${body.operator} `);
  }
}

function showSelect(select: Select): string {
  const groupings = (select.groupings ?? []).map(
    ({ kind, sets }) => `${kind}(${sets.map((set) => `(${list(set)})`).join(', ')})`,
  );
  const groups = select.groupBy === 'ALL' ? ['ALL'] : [...select.groupBy.map(show), ...groupings];
  const parts = [
    `SELECT${select.isDistinct ? ' DISTINCT' : ''}${select.distinctOn === undefined ? '' : ` ON(${list(select.distinctOn)})`} ${select.items.map(showItem).join(', ')}`,
    ...(select.from.length === 0 ? [] : [`FROM ${select.from.map(showFrom).join(' ')}`]),
    ...(select.where === undefined ? [] : [`WHERE ${show(select.where)}`]),
    ...(groups.length === 0 ? [] : [`GROUP ${groups.join(', ')}`]),
    ...(select.having === undefined ? [] : [`HAVING ${show(select.having)}`]),
    ...(select.qualify === undefined ? [] : [`QUALIFY ${show(select.qualify)}`]),
    ...select.windows.map(({ name, window }) => `WINDOW ${name.name} ${showWindow(window)}`),
  ];
  return parts.join(' ');
}

function showItem(item: Item): string {
  if (item.kind === 'value')
    return `${show(item.value)}${item.alias === undefined ? '' : ` AS ${item.alias.name}`}`;
  const replaced = item.replace.map(({ value, name }) => `${show(value)} AS ${name.name}`);
  return `${item.of === undefined ? '' : `${show(item.of)}.`}*${item.except.length === 0 ? '' : ` EXCEPT(${names(item.except)})`}${replaced.length === 0 ? '' : ` REPLACE(${replaced.join(', ')})`}`;
}

function showFrom(item: FromItem, index: number): string {
  const { join, source, alias, on, using, columns } = item;
  const parts = [
    ...(index === 0 ? [] : [`${item.isNatural === true ? 'NATURAL ' : ''}${join}`]),
    ...(item.isLateral === true ? ['LATERAL'] : []),
    showSource(source),
    ...(alias === undefined ? [] : [`AS ${alias.name}${columns === undefined ? '' : `(${names(columns)})`}`]),
    ...(on === undefined ? [] : [`ON ${show(on)}`]),
    ...(using === undefined ? [] : [`USING(${names(using)})`]),
  ];
  return parts.join(' ');
}

function showSource(source: FromItem['source']): string {
  switch (source.kind) {
    case 'table':
      return source.parts.map(({ name }) => name).join('.');
    case 'query':
      return `(${showQuery(source.query)})`;
    case 'unnest':
      return `UNNEST(${list([source.array, ...(source.more ?? [])])})${source.offset === undefined ? '' : ` OFFSET ${source.offset.name} FROM ${source.offsetBase ?? 0}`}`;
    case 'function':
      return show(source.call);
    case 'group':
      return `(${source.items.map(showFrom).join(' ')})`;
  }
}
