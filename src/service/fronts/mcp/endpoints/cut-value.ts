// Cuts the values of rows to a length: the beginning of long strings, the first elements of long lists and objects.

/** A value that fits. */
export interface CutValue {
  readonly value: unknown;
  /** Characters of the whole value, of lists and objects as JSON; undefined: it is not cut. */
  readonly length: number | undefined;
}

const MAX_DEPTH = 32;

/**
 * The value with at most about `limit` characters of JSON. A cut string ends with its length; a list or an object has fewer
 * elements, and its nested strings are cut like others.
 */
export function cutValue(value: unknown, limit: number): CutValue {
  const isText = typeof value === 'string';
  if (!isText && (typeof value !== 'object' || value === null)) return { value, length: undefined };
  const { length } = isText ? value : JSON.stringify(value);
  if (length <= limit) return { value, length: undefined };
  return { value: isText ? cutString(value, limit) : cutNested(value, { left: limit, depth: 0 }), length };
}

/** The first `limit` characters, without half of a surrogate pair, followed by the length of the whole string. */
function cutString(text: string, limit: number): string {
  const head = text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '');
  return head + cutMark(text.length);
}

/** What follows a cut value. */
export function cutMark(length: number): string {
  return `… [cut: ${length} characters]`;
}

interface Budget {
  left: number;
  readonly depth: number;
}

function cutNested(value: unknown, budget: Budget): unknown {
  if (typeof value === 'string') {
    const kept = value.length > budget.left ? cutString(value, Math.max(budget.left, 0)) : value;
    budget.left -= kept.length + 2;
    return kept;
  }
  if (typeof value !== 'object' || value === null) {
    budget.left -= String(value).length + 1;
    return value;
  }
  budget.left -= 3; // its brackets and a comma: without them, any number of empty lists would be kept
  const isDeep = budget.depth >= MAX_DEPTH;
  if (Array.isArray(value)) return isDeep ? [] : cutElements(value, budget);
  if (isDeep) return {};
  const entries = cutEach(Object.entries(value), budget, ([name, member]: [string, unknown], inner) => {
    inner.left -= name.length + 3;
    return [name, cutNested(member, inner)] as const;
  });
  return Object.fromEntries(entries);
}

function cutElements(list: readonly unknown[], budget: Budget): readonly unknown[] {
  return cutEach(list, budget, cutNested);
}

/** As many items as the budget has place for. */
function cutEach<T, R>(items: readonly T[], budget: Budget, cut: (item: T, budget: Budget) => R): R[] {
  const kept: R[] = [];
  for (const item of items) {
    if (budget.left <= 0) break;
    const inner = { left: budget.left, depth: budget.depth + 1 };
    kept.push(cut(item, inner));
    budget.left = inner.left;
  }
  return kept;
}
