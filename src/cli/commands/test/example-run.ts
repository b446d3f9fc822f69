// Runs one example: loads its rows, makes its call at its time, and compares the result.
import { locateFinding } from '../../../service/config/locate-finding.ts';
import { type InspectedFile } from '../../../service/endpoints/compile.ts';
import type { Fixtures } from '../../../service/config/generated/endpoint.ts';
import type { Path } from '../../../service/config/yaml-document.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { RequestPath } from '../../../service/request/answer.ts';
import { compare, type Mismatch, type Outcome } from './compare.ts';
import { shortPath } from './endpoint-files.ts';
import type { Rows } from '../../kit/rows.ts';
import type { Stage } from '../../kit/stage.ts';
import { type Case, callAndRead } from './call-example.ts';

export interface Bench {
  readonly engine: Engine;
  readonly stage: Stage;
  /**
   * The request path with the clock frozen at a time (milliseconds since 1970), or with the real clock if undefined.
   */
  readonly pathAt: (now: number | undefined) => RequestPath;
}

export interface ExampleRun {
  /** Undefined if the call could not be made. */
  readonly outcome: Outcome | undefined;
  /** Empty: it passed. */
  readonly failures: readonly Finding[];
}

/** Columns are determined if they are expected, and if nothing is, since --update then writes them. */
export async function runExample(each: Case, bench: Bench): Promise<ExampleRun> {
  const { example } = each;
  const now = example.now === undefined ? undefined : Date.parse(example.now);
  if (now !== undefined && !isTellable(now)) return unmade([outOfRange(each)]);
  const findings = await bench.stage.set(rowsOfCase(each));
  if (findings.length > 0) return unmade(findings);
  const outcome = await callAndRead(bench.pathAt(now), bench.engine, each);
  const failures = compare(example.expect ?? {}, outcome).map((mismatch) => failureOf(each, mismatch));
  return { outcome, failures };
}

function unmade(failures: readonly Finding[]): ExampleRun {
  return { outcome: undefined, failures };
}

/** The range of the type DateTime. */
function isTellable(now: number): boolean {
  return now >= 0 && now < 2 ** 32 * 1000;
}

function outOfRange({ file, index }: Case): Finding {
  const message = 'now must be a time from 1970 to 2105';
  return locateFinding(file.document, { code: 'test.now', path: ['examples', index, 'now'], message });
}

/** An example's own rows for a table replace those of its file. */
export function rowsOfCase({ file, index, example }: Case): readonly Rows[] {
  return rowsWith(file, example.fixtures, ['examples', index, 'fixtures']);
}

/** These rows, at a path of the file, replace those of the file. */
export function rowsWith(file: InspectedFile, fixtures: Fixtures | undefined, path: Path): readonly Rows[] {
  const own = rowsAt(file, fixtures, path);
  const named = new Set(own.map(({ table }) => table));
  const shared = rowsAt(file, file.analysis.file.fixtures, ['fixtures']);
  return [...own, ...shared.filter(({ table }) => !named.has(table))];
}

function rowsAt({ document }: InspectedFile, fixtures: Fixtures = {}, path: Path): readonly Rows[] {
  return Object.entries(fixtures).map(([table, rows]) => ({
    table,
    format: 'JSONEachRow',
    text: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    file: shortPath(document.file),
    locate: (row) =>
      row === 0 ? document.locateKey([...path, table]) : document.locate([...path, table, row - 1]),
  }));
}

/** At the expectation it concerns, otherwise at the example's name. */
function failureOf({ file, index }: Case, { path, message }: Mismatch): Finding {
  const at = path.length === 0 ? ['examples', index, 'name'] : ['examples', index, 'expect', ...path];
  const code = `test.${String(path[0] ?? 'status')}`;
  const found = locateFinding(file.document, { code, path: at, message });
  return { ...found, file: shortPath(found.file) };
}
