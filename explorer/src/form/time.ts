// Types of times, and times between the native picker, which has no time zones, and the service.

export interface TimeType {
  readonly isDay: boolean;
  /** Times without an offset are in this zone; undefined means UTC. */
  readonly zone: string | undefined;
}

const TYPE = /^(?:(?:Nullable|LowCardinality)\()*(?:Date(?:32)?|DateTime(?:32|64)?(?:\(([^()]*)\))?)\)*$/;

/** Returns undefined if the type is not a date or time. */
export function timeTypeOf(type: string): TimeType | undefined {
  const match = TYPE.exec(type);
  if (match === null) return undefined;
  const zone = /'([^']+)'/.exec(match[1] ?? '')?.[1];
  return { isDay: !type.includes('DateTime'), zone: zone === 'UTC' ? undefined : zone };
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?Z?$/;

/** An expression, or a time with an offset, is the same time in every zone. */
export function isAbsolute(value: string): boolean {
  return /^\s*now|(?:Z|[+-]\d\d:?\d\d)\s*$/.test(value) && !DAY.test(value);
}

/** The picker is in UTC and cannot show `2024-01-01T00:00:00+02:00` without loss. */
export function isPickable(value: string, { isDay, zone }: TimeType): boolean {
  if (value === '') return true;
  if (isDay) return DAY.test(value);
  return zone === undefined ? DAY.test(value) || MOMENT.test(value) : MOMENT.test(value) && isAbsolute(value);
}

export function toPicker(value: string, isDay: boolean): string {
  if (isDay || value === '') return value;
  if (DAY.test(value)) return `${value}T00:00:00`;
  return value.replace(MOMENT, (_, day: string, minutes: string, rest = ':00') => `${day}T${minutes}${rest}`);
}

export function fromPicker(text: string, isDay: boolean): string {
  if (text === '' || isDay) return text;
  return `${/T\d\d:\d\d$/.test(text) ? `${text}:00` : text}Z`;
}
