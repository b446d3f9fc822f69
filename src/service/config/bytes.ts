// Parses byte sizes in settings and endpoint files.

const UNITS: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

/** Bytes of `536870912` or `512MiB`; the format has already been checked by the schema. */
export function parseBytes(size: number | string): number {
  if (typeof size === 'number') return size;
  const unit = size.slice(-3);
  return Number.parseInt(size, 10) * (UNITS[unit] ?? 1);
}
