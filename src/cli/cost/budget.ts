// Reads what the calls of examples may read: amounts such as 10M, and the setting `budget`.
import type { Settings } from '../../service/config/settings.ts';

export interface CostBudget {
  /** Undefined means any number. */
  readonly rows: number | undefined;
  /** It is how many times the rows of before a call may read. */
  readonly growth: number;
}

const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, x: 1 };

/** Returns undefined for a text that is no amount of 1 or more. */
export function amountOf(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?)([kmgx]?)$/i.exec(text) ?? [];
  const value = Number(digits) * (FACTORS[unit.toLowerCase()] ?? 1);
  return digits !== '' && value >= 1 ? value : undefined;
}

const DEFAULT_GROWTH = 2;

export function budgetOf({ budget = {} }: Pick<Settings, 'budget'>): CostBudget {
  const { rows, growth } = typeof budget === 'string' ? { rows: budget, growth: undefined } : budget;
  return {
    rows: rows === undefined ? undefined : amountOf(String(rows)),
    growth: (growth === undefined ? undefined : amountOf(String(growth))) ?? DEFAULT_GROWTH,
  };
}
