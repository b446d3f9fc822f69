// Numbers with their nouns, in singular or plural.

/** `1 row`, `1,000 rows`. */
export function counted(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
