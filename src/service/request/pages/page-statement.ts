// Writes the statement of a page: the rows after those of the previous page, in the order of the keys.
import type { Endpoint, PagePolicy } from '../../endpoints/endpoint.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import type { CursorScope } from './page-cursor.ts';

export interface Page {
  readonly policy: PagePolicy;
  /** The unit is rows. */
  readonly size: number;
  readonly scope: CursorScope;
  /** The next page resolves its relative times at this time; undefined means that it has none. */
  readonly at: number | undefined;
}

/** Parameters of files cannot have this name (`page.reserved_name`). */
export function parameterName(index: number): string {
  return `page_key_${index}`;
}

interface PageStatement {
  readonly endpoint: Endpoint;
  readonly page: Page;
  /** They are the types of the keys after which the page begins; the first page has none. */
  readonly types: readonly string[];
  /** It is true if the engine may evaluate the conditions on the keys where it reads tables. */
  readonly isOpen: boolean;
}

/**
 * This LIMIT is above any possible number of rows. With it, no condition on a computed key is evaluated where the engine reads tables:
 * there, it would compute and compare keys of other tenants' rows, some of which fail, and skip rows of this tenant by their index entries.
 */
const BARRIER_ROWS = 10n ** 18n;

/** The page has all rows with the key of the last one (WITH TIES), so that no page ends between rows of equal keys. */
export function pageStatement(rows: string, { endpoint, page, types, isOpen }: PageStatement): string {
  const { policy, size } = page;
  const named = policy.keys.map(({ name, descending }) => ({ name: quoteIdentifier(name), descending }));
  const order = named.map(({ name, descending }) => `${name} ${descending ? 'DESC' : 'ASC'}`).join(', ');
  const where = types.length === 0 ? '' : `WHERE ${afterKeys(named, types)}\n`;
  const source = isOpen ? rows : `SELECT * FROM (\n${rows}\n) LIMIT ${BARRIER_ROWS}`;
  const ordered = `SELECT * FROM (\n${source}\n)\n${where}ORDER BY ${order}\nLIMIT ${size + 1} WITH TIES`;
  return `SELECT * FROM (\n${ordered}\n) LIMIT ${endpoint.maxRows + 1}`;
}

/** Returns `a <= x AND (a < x OR (a = x AND b < y))`: the first part reaches the sort key of a table. */
function afterKeys(
  keys: readonly { readonly name: string; readonly descending: boolean }[],
  types: readonly string[],
): string {
  const value = (index: number): string => `{${parameterName(index)}:${types[index]}}`;
  const compare = (index: number, or: '' | '='): string =>
    `${keys[index]?.name} ${keys[index]?.descending === true ? '<' : '>'}${or} ${value(index)}`;
  const cases = keys.map((_, last) => {
    const equal = keys.slice(0, last).map(({ name }, index) => `${name} = ${value(index)}`);
    return `(${[...equal, compare(last, '')].join(' AND ')})`;
  });
  return `${compare(0, '=')} AND (${cases.join(' OR ')})`;
}
