// The report of `millrace redact --explain`, as data and as text. It has no value of a row, only its form.
import { visible } from '../../../service/observe/visible-text.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import type { ColumnAction } from '../../../guard/redact/columns.ts';
import type { DetectorName } from '../../../guard/redact/detector.ts';
import type { Inspection, InspectedPath } from '../../../guard/redact/inspect.ts';
import type { Suspicion } from '../../../guard/redact/suspicions.ts';
import { count } from '../../findings/findings.ts';
import { renderTable } from '../../kit/table.ts';
import type { Terminal } from '../../kit/terminal.ts';

/** Inspected rows of a table, or of the result. */
export interface RedactionSample {
  readonly name: string;
  readonly inspection: Inspection;
}

export interface RedactionReport {
  readonly endpoint: string;
  readonly file: string;
  /** It is true if every response is redacted. */
  readonly always: boolean;
  readonly at: 'result' | 'source';
  readonly detectors: readonly string[];
  readonly samples: readonly SampleReport[];
  /** Rules that applied to nothing in any sample. */
  readonly unused: readonly string[];
}

interface SampleReport {
  readonly name: string;
  readonly rows: number;
  readonly isCut: boolean;
  readonly found: readonly FoundReport[];
  readonly rules: readonly {
    readonly path: string;
    readonly action: ColumnAction;
    readonly values: number;
  }[];
  readonly look: readonly LookReport[];
}

interface FoundReport {
  readonly path: string;
  readonly detector: DetectorName;
  readonly values: number;
  /** Of the values that are not null; from 0 to 1. */
  readonly share: number;
  readonly example: string | undefined;
  /** `rule`: a rule by name covers it; `no`: the endpoint does not use the detector. */
  readonly isRedacted: 'detector' | 'rule' | 'no';
  /** What to write in the file if it is not redacted. */
  readonly line: string | undefined;
}

interface LookReport {
  readonly path: string;
  readonly reason: Suspicion;
  readonly values: number;
  readonly example: string | undefined;
  readonly line: string;
}

/** The report of an endpoint's samples. */
export function reportOf(endpoint: Endpoint, samples: readonly RedactionSample[]): RedactionReport {
  const { always, at, columns, redactor } = endpoint.redaction;
  const detectors = redactor.source?.detectors ?? [];
  const reports = samples.map(({ name, inspection: { rows, paths, isCut } }) => ({
    name,
    rows,
    isCut,
    found: paths.flatMap((path) => foundAt(path, detectors)),
    rules: paths.flatMap(({ path, action, values }) =>
      action === undefined ? [] : [{ path, action, values }],
    ),
    look: paths.flatMap(lookAt),
  }));
  const applied = reports.flatMap(({ rules }) => rules.map(({ path }) => path.toLowerCase()));
  const unused = Object.keys(columns).filter((rule) => {
    const folded = rule.toLowerCase();
    return !applied.some((path) => path === folded || path.startsWith(`${folded}.`));
  });
  return { endpoint: endpoint.name, file: endpoint.file, always, at, detectors, samples: reports, unused };
}

function foundAt(
  { path, values, found, action, examples }: InspectedPath,
  detectors: readonly DetectorName[],
): readonly FoundReport[] {
  return [...found].map(([detector, matched]) => {
    const isUsed = detectors.includes(detector);
    const isRedacted = action !== undefined ? 'rule' : isUsed ? 'detector' : 'no';
    return {
      path,
      detector,
      values: matched,
      share: matched / values,
      example: examples.get(detector),
      isRedacted,
      line: isRedacted === 'no' ? `detectors: [${[...detectors, detector].join(', ')}]` : undefined,
    };
  });
}

function lookAt({ path, suspicions, examples }: InspectedPath): readonly LookReport[] {
  return [...suspicions].map(([reason, values]) => ({
    path,
    reason,
    values,
    example: examples.get(reason),
    line: `columns: { ${keyOf(path)}: mask }`,
  }));
}

/** A path as a key of YAML. A name that is not shown is covered by the rule for what contains it. */
function keyOf(path: string): string {
  const shown = path.split('.').includes('*')
    ? path.split('.').slice(0, path.split('.').indexOf('*')).join('.')
    : path;
  return /^[\w.]+$/.test(shown) ? shown : JSON.stringify(shown);
}

const REASONS: Readonly<Record<Suspicion, string>> = {
  name: 'the name says personal data',
  high_entropy: 'letters and digits that look random',
  spelled_out_email: 'e-mail addresses that are spelled out',
  ip_as_number: 'numbers that may be IPv4 addresses',
  phone_as_number: 'numbers that may be phone numbers',
};

/** Prints a report as text. */
export function printReport(report: RedactionReport, { print, paint }: Terminal): void {
  const { endpoint, file, always, at, detectors, samples, unused } = report;
  print(`${paint('bold', endpoint)}  ${visible(file)}`);
  const where = at === 'source' ? ', at the source' : '';
  print(
    `  redaction ${always ? 'of every response' : 'only for keys and calls that ask for it'}${where}: ${detectors.join(', ')}`,
  );
  for (const sample of samples) {
    print('');
    print(paint('bold', `${visible(sample.name)}: ${count(sample.rows, 'row')}`));
    if (sample.isCut) print('  More paths than are counted: the rest is not shown');
    section(
      print,
      'found',
      sample.found.length === 0
        ? []
        : [
            ['column', 'detector', 'values', 'share', 'form', 'redacted'],
            ...sample.found.map((each) => [
              each.path,
              each.detector,
              String(each.values),
              `${Math.round(each.share * 100)}%`,
              each.example ?? '',
              each.isRedacted === 'no' ? `no: ${each.line ?? ''}` : each.isRedacted,
            ]),
          ],
    );
    section(
      print,
      'rules by name',
      sample.rules.length === 0
        ? []
        : [
            ['column', 'rule', 'values'],
            ...sample.rules.map(({ path, action, values }) => [path, action, String(values)]),
          ],
    );
    section(
      print,
      'look at',
      sample.look.length === 0
        ? []
        : [
            ['column', 'reason', 'values', 'form', 'to redact it'],
            ...sample.look.map((each) => [
              each.path,
              REASONS[each.reason],
              String(each.values),
              each.example ?? '',
              each.line,
            ]),
          ],
    );
  }
  if (unused.length > 0) print('');
  if (unused.length > 0) print(`Rules that applied to nothing here: ${unused.map(visible).join(', ')}`);
}

function section(print: Terminal['print'], title: string, rows: readonly (readonly string[])[]): void {
  print(`  ${title}${rows.length === 0 ? ': nothing' : ''}`);
  if (rows.length > 0) for (const line of renderTable(rows)) print(`    ${line}`);
}
