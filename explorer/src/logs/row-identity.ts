// Tells rows that are known from new ones: by all of their values, and how often they occur.
import { printJson, type Row } from '../service/json.ts';
import { microsOf } from './sql.ts';

const identities = new WeakMap<Row, string>();

function identityOf(row: Row): string {
  const known = identities.get(row);
  if (known !== undefined) return known;
  const text = printJson(row);
  identities.set(row, text);
  return text;
}

/** The rows of a response that are not among the known ones; equal rows are counted. Order stays. */
export function unseen(known: readonly Row[], answer: readonly Row[], time: string): readonly Row[] {
  const times = answer.map((row) => row[time]).filter((value) => typeof value === 'string');
  const [first, last] = [minimum(times), maximum(times)];
  const left = new Map<string, number>();
  for (const row of known) {
    const at = row[time];
    if (typeof at === 'string' && first !== undefined && last !== undefined && (at < first || at > last))
      continue;
    left.set(identityOf(row), (left.get(identityOf(row)) ?? 0) + 1);
  }
  return answer.filter((row) => {
    const count = left.get(identityOf(row)) ?? 0;
    if (count > 0) left.set(identityOf(row), count - 1);
    return count === 0;
  });
}

/** Whether a full page has nothing but rows of the microsecond it was asked up to, so that the next one would be the same. */
export function isStuck(answer: readonly Row[], { time, before }: { time: string; before: string }): boolean {
  const micros = microsOf(before);
  return answer.every((row) => {
    const at = row[time];
    return typeof at === 'string' && microsOf(at) === micros;
  });
}

// Times of one column have the same number of digits, so they compare as strings.
function minimum(times: readonly string[]): string | undefined {
  return times.reduce<string | undefined>(
    (least, each) => (least === undefined || each < least ? each : least),
    undefined,
  );
}

function maximum(times: readonly string[]): string | undefined {
  return times.reduce<string | undefined>(
    (most, each) => (most === undefined || each > most ? each : most),
    undefined,
  );
}
