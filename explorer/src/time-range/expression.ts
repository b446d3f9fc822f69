// Times relative to now, in the grammar of the service: `now-1d/d` (docs/author/relative-times.md). In UTC, as the service computes them.

const UNITS = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  M: 'months',
  Q: 'months',
  y: 'months',
} as const;
type Unit = keyof typeof UNITS;
const MONTHS: Readonly<Partial<Record<Unit, number>>> = { M: 1, Q: 3, y: 12 };

export interface Step {
  readonly kind: 'add' | 'round';
  readonly count: number;
  readonly unit: Unit;
}

/** Which bound of a range an expression is: the end rounds up. */
export type Bound = 'start' | 'end';

const MAX_LENGTH = 100;
const MAX_STEPS = 10;
const STEP = /(?:\s*(?<operator>[-+/])\s*|\s+(?=\d))(?<count>\d{1,6})?(?<unit>[smhdwMQy])(?![A-Za-z0-9_])/y;
const [FIRST_MS, LAST_MS] = [Date.UTC(1000), Date.UTC(9999)];
/** 1970-01-05, a Monday. */
const FIRST_MONDAY = 4 * UNITS.d;

/** Undefined if the text is no expression. */
export function parseExpression(raw: string): readonly Step[] | undefined {
  const text = raw.trim();
  if (text.length > MAX_LENGTH || !/^now(?![A-Za-z0-9_])/.test(text)) return undefined;
  const steps: Step[] = [];
  for (let at = 3; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const { operator = '+', count, unit } = STEP.exec(text)?.groups ?? {};
    if (unit === undefined || steps.length === MAX_STEPS || (operator === '/' && count !== undefined))
      return undefined;
    const size = Number(count ?? 1) * (operator === '-' ? -1 : 1);
    steps.push({ kind: operator === '/' ? 'round' : 'add', count: size, unit: unit as Unit }); // the expression matches no other letters
  }
  return steps;
}

/** Milliseconds since 1970; undefined if the steps lead beyond what dates can express. */
export function resolveSteps(steps: readonly Step[], now: number, bound: Bound): number | undefined {
  let ms: number | undefined = now;
  for (const { kind, count, unit } of steps) {
    if (ms === undefined) return undefined;
    if (kind === 'add') ms = add(ms, count, unit);
    else {
      const start = startOf(ms, unit);
      ms = bound === 'start' || start === undefined ? start : add(start, 1, unit);
    }
  }
  return ms;
}

function add(ms: number, count: number, unit: Unit): number | undefined {
  const size = UNITS[unit];
  if (typeof size === 'number' && size < UNITS.d) return ms + count * size;
  return expressible(ms, (at) =>
    typeof size === 'number' ? at + count * size : addMonths(at, count * (MONTHS[unit] ?? 1)),
  );
}

function startOf(ms: number, unit: Unit): number | undefined {
  const size = UNITS[unit];
  if (typeof size === 'number' && size < UNITS.d) return floorTo(ms, size);
  return expressible(ms, (at) => {
    if (unit === 'w') return floorTo(at - FIRST_MONDAY, UNITS.w) + FIRST_MONDAY;
    if (typeof size === 'number') return floorTo(at, size);
    const date = new Date(at);
    return Date.UTC(date.getUTCFullYear(), floorTo(date.getUTCMonth(), MONTHS[unit] ?? 1));
  });
}

/** A day that the month does not have is its last one. */
function addMonths(ms: number, months: number): number {
  const date = new Date(ms);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(date);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  return date.setUTCDate(Math.min(day, last.getUTCDate()));
}

function expressible(ms: number, change: (ms: number) => number): number | undefined {
  if (!isExpressible(ms)) return undefined;
  const changed = change(ms);
  return isExpressible(changed) ? changed : undefined;
}

function isExpressible(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS;
}

function floorTo(value: number, size: number): number {
  return Math.floor(value / size) * size;
}
