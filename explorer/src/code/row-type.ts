// The TypeScript type of a row, from the column types that the service lists.
import type { ResultColumn } from '../service/listing.ts';

/** The TypeScript type of a row with these columns. */
export function rowType(columns: readonly ResultColumn[]): string {
  if (columns.length === 0) return 'Record<string, unknown>';
  const members = columns.flatMap(({ name, typescript }) =>
    typescript === undefined
      ? []
      : [`  ${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}: ${typescript};\n`],
  );
  return `{\n${members.join('')}}`;
}
