// Reports what the calls of examples read, independent of the output format.
import { rowsOf, type Estimate } from '../../cost/estimate.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { Terminal } from '../../kit/terminal.ts';

export interface CaseCost {
  readonly endpoint: string;
  readonly example: string;
  /** It is the text of a problem if the call could not be planned. */
  readonly estimate: Estimate | string;
}

export interface CostReport {
  readonly cases: readonly CaseCost[];
  /** These endpoints have no example whose call could be estimated. */
  readonly without: readonly string[];
  /** The sizes of these tables are not known. */
  readonly assumed: readonly string[];
  readonly findings: readonly Finding[];
  readonly textOf: (file: string) => string | undefined;
}

export type PrintCost = (report: CostReport, terminal: Terminal) => void | Promise<void>;

/** Returns estimated rows by `endpoint: example`. */
export function rowsByCase(cases: readonly CaseCost[]): ReadonlyMap<string, number> {
  return new Map(
    cases.flatMap(({ endpoint, example, estimate }) =>
      typeof estimate === 'string' ? [] : [[caseName({ endpoint, example }), rowsOf(estimate)] as const],
    ),
  );
}

export function caseName({ endpoint, example }: Pick<CaseCost, 'endpoint' | 'example'>): string {
  return `${endpoint}: ${example}`;
}

export const TABLE_HEAD: readonly string[] = [
  'endpoint',
  'example',
  'table',
  'granules',
  'rows',
  'bytes',
  'selected by',
];

/** Returns a row of cells for each read of a table. */
export function tableRows(cases: readonly CaseCost[]): readonly (readonly string[])[] {
  return cases.flatMap(({ endpoint, example, estimate }) => {
    const own = [endpoint, example];
    if (typeof estimate === 'string') return [[...own, '', '', '', '', `not estimated: ${estimate}`]];
    const reads = estimate.reads.map(({ table, projection, granules, rows, bytes, used }) => [
      ...own,
      projection === undefined ? table : `${table} (projection ${projection})`,
      `${grouped(granules.selected)} of ${grouped(granules.total)}`,
      grouped(rows),
      bytes === undefined ? '' : sizeOf(bytes),
      used.join(', ') || 'nothing',
    ]);
    const others = estimate.others.map((each) => [...own, '', '', '', '', `not estimated: ${each}`]);
    return reads.length + others.length === 0
      ? [[...own, '', '', '0', '', 'no rows of tables']]
      : [...reads, ...others];
  });
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power] ?? ''}`;
}

/** Returns, as sentences, what was not estimated, and what the estimates are based on. */
export function notesOf({ without, assumed }: CostReport, rows: number): readonly string[] {
  return [
    ...(without.length === 0 ? [] : [`No example of ${without.join(', ')} could be estimated`]),
    ...(assumed.length === 0
      ? []
      : [
          `The sizes of ${assumed.join(', ')} are not known: ${grouped(rows)} rows are assumed. millrace schema pull --statistics writes them`,
        ]),
  ];
}
