// Compares rows of ClickHouse with those of another database system.

type Row = readonly unknown[];

/** Undefined if the rows are the same; otherwise the first difference. */
export function difference(
  expected: readonly Row[],
  actual: readonly Row[],
  isOrdered: boolean,
): string | undefined {
  if (expected.length !== actual.length) return `${expected.length} rows expected, ${actual.length} returned`;
  const [a, b] = isOrdered ? [expected, actual] : [sorted(expected), sorted(actual)];
  for (const [index, row] of a.entries()) {
    const other = b[index] ?? [];
    const isEqual = row.length === other.length && row.every((cell, column) => same(cell, other[column]));
    if (!isEqual)
      return `row ${index + 1}: expected ${JSON.stringify(row)}, returned ${JSON.stringify(other)}`;
  }
  return undefined;
}

function sorted(rows: readonly Row[]): readonly Row[] {
  const key = (row: Row): string => JSON.stringify(row.map(normal));
  return [...rows].toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

const TIME = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|\+00(?::00)?)?$/;

/** Numbers, conditions and times in a form that can be compared. */
function normal(cell: unknown): unknown {
  if (typeof cell === 'boolean') return cell ? 1 : 0;
  if (Array.isArray(cell)) return cell.map(normal);
  if (typeof cell === 'number' && !Number.isFinite(cell)) return cell > 0 ? 'inf' : '-inf';
  if (typeof cell !== 'string') return typeof cell === 'number' ? Number(cell.toPrecision(9)) : cell;
  if (TIME.test(cell)) {
    const time = new Date(`${cell.slice(0, 10)}T${cell.slice(11).replace(/Z|\+00.*$/, '') || '00:00:00'}Z`);
    return Number.isNaN(time.getTime()) ? cell : time.toISOString();
  }
  if (/^-?nan$/i.test(cell)) return 'nan';
  if (/^-?inf(?:inity)?$/i.test(cell)) return cell.toLowerCase().replace('infinity', 'inf');
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(cell) ? Number(Number(cell).toPrecision(9)) : cell;
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a === 'object' && a !== null && typeof b === 'string')
    return JSON.stringify(a) === JSON.stringify(parsed(b));
  if (a === b) return true; // of strings of digits, too
  const [x, y] = [normal(a), normal(b)];
  if (Number.isSafeInteger(Number(a)) && Number.isSafeInteger(Number(b)) && typeof x === 'number')
    return Number(a) === Number(b);
  if (typeof x === 'number' && typeof y === 'number')
    return Math.abs(Number(a) - Number(b)) <= 1e-9 * Math.max(1, Math.abs(Number(a)));
  if (Array.isArray(x) && Array.isArray(y))
    return x.length === y.length && x.every((each, index) => same(each, y[index]));
  return x === y;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
