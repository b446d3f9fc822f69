// Compares exports: their codes, and what each is about.
import type { Endpoint, ExportPolicy } from '../../service/endpoints/endpoint.ts';
import { behaviour, breaking, compatible, cost, security, type ChangeKinds } from './change-kinds.ts';
import type { ContractChange } from './contract.ts';

export const EXPORT_CHANGES = {
  'export.added': cost('Exports are possible', 'They run for longer than calls, and need space on the disk.'),
  'export.removed': breaking(
    'Exports are no longer possible',
    'Asking for one gets 400, and finished ones cannot be downloaded.',
  ),
  'export.max_rows_lowered': breaking('Exports have fewer rows', 'Exports with more rows fail.'),
  'export.max_rows_raised': cost('Exports have more rows', 'They run for longer, and need more space.'),
  'export.format_added': compatible('Exports have another format', 'Callers may ask for it.'),
  'export.format_removed': breaking('Exports lack a format', 'Asking for it gets 406.'),
  'export.download_added': compatible('Exports can be downloaded', 'Callers may ask for it.'),
  'export.s3_added': security(
    'Exports are written to an object store',
    'Who may read its bucket reads them without a key of the service, and for as long as they are there.',
  ),
  'export.place_removed': breaking('Exports can no longer be kept in a place', 'Asking for it gets 400.'),
  'export.keep_lowered': breaking(
    'Exports are kept for a shorter time',
    'Those that are fetched later are gone.',
  ),
  'export.keep_raised': cost('Exports are kept for longer', 'They need more space.'),
  'export.per_key_lowered': behaviour('A key has fewer exports at once', 'Further ones get 429.'),
  'export.per_key_raised': cost('A key has more exports at once', 'More of them wait, and need space.'),
} as const satisfies ChangeKinds;

type ExportChange = ContractChange<keyof typeof EXPORT_CHANGES>;

export function* compareExports(base: Endpoint, head: Endpoint): Generator<ExportChange> {
  const [was, is] = [base.export, head.export];
  if (was === undefined && is === undefined) return;
  const path = ['export'];
  if (was === undefined) yield { code: 'export.added', message: 'exports are possible', path };
  if (is === undefined) yield { code: 'export.removed', message: 'exports are no longer possible', path };
  if (is !== undefined) yield* comparePlaces(was?.places ?? ['download'], is.places);
  if (was === undefined || is === undefined) return;
  yield* compareNumbers(was, is);
  for (const format of is.formats.filter((each) => !was.formats.includes(each)))
    yield { code: 'export.format_added', message: `exports may be ${format}`, path: ['export', 'formats'] };
  for (const format of was.formats.filter((each) => !is.formats.includes(each)))
    yield {
      code: 'export.format_removed',
      message: `exports are no longer ${format}`,
      path: ['export', 'formats'],
    };
}

function* comparePlaces(was: ExportPolicy['places'], is: ExportPolicy['places']): Generator<ExportChange> {
  const path = ['export', 'to'];
  for (const place of is.filter((each) => !was.includes(each)))
    yield { code: `export.${place}_added`, message: `exports may be kept for ${place}`, path };
  for (const place of was.filter((each) => !is.includes(each)))
    yield { code: 'export.place_removed', message: `exports are no longer kept for ${place}`, path };
}

const NUMBERS = [
  ['max_rows', 'maxRows', 'rows at most'],
  ['keep', 'keep', 'seconds are exports kept'],
  ['per_key', 'perKey', 'exports of a key at once'],
] as const;

function* compareNumbers(was: ExportPolicy, is: ExportPolicy): Generator<ExportChange> {
  for (const [key, property, text] of NUMBERS) {
    const [before, now] = [was[property], is[property]];
    if (before === now) continue;
    const code = `export.${key}_${now < before ? 'lowered' : 'raised'}` as const;
    yield { code, message: `${now} ${text}, was ${before}`, path: ['export', key] };
  }
}
