// Converts times between the native picker, which has no time zones, and the service, which expects UTC.

const DAY = /^\d{4}-\d\d-\d\d$/;
const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?Z?$/;

/** Whether the picker can show a value without loss; false for `2024-01-01T00:00:00+02:00`. */
export function isPickable(value: string, isDay: boolean): boolean {
  return value === '' || DAY.test(value) || (!isDay && MOMENT.test(value));
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
