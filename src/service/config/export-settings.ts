// Settings of exports.
import type { Finding } from '../../sql/base/finding.ts';
import { parseBytes } from './bytes.ts';
import type { SettingsFile } from './generated/settings.ts';
import { plainFinding } from './plain-finding.ts';

/** How exports run; 0 places: none are accepted. */
export interface ExportSettings {
  readonly places: number;
  /** Bytes. */
  readonly disk: number;
  /** Seconds. */
  readonly time: number;
  readonly workload: string | undefined;
  /** Undefined: there is no object store. */
  readonly s3: S3Settings | undefined;
}

/** A bucket, and how it is reached. */
export interface S3Settings {
  readonly bucket: string;
  /** Undefined: Amazon S3. */
  readonly url: string | undefined;
  readonly region: string;
  /** The template of the names of objects. */
  readonly object: string;
  /** Undefined, like the secret: those that the library finds, as in the role of the machine. */
  readonly key: string | undefined;
  readonly secret: string | undefined;
}

type Defaulted = 'export_places' | 'export_disk' | 'export_time' | 'export_s3_region' | 'export_s3_object';

export type ExportOptionalKey =
  | 'export_workload'
  | 'export_s3_bucket'
  | 'export_s3_url'
  | 'export_s3_key'
  | 'export_s3_secret';

export function exportSettings(all: SettingsFile & Required<Pick<SettingsFile, Defaulted>>): ExportSettings {
  const { export_s3_bucket: bucket, export_s3_url: url, export_s3_region: region } = all;
  const { export_s3_object: object, export_s3_key: key, export_s3_secret: secret } = all;
  return {
    places: all.export_places,
    disk: parseBytes(all.export_disk),
    time: all.export_time,
    workload: all.export_workload,
    s3: bucket === undefined ? undefined : { bucket, url, region, object, key, secret },
  };
}

const PLACEHOLDERS: ReadonlySet<string> = new Set(['endpoint', 'date', 'id', 'format']);

/** Names of objects that would not be their own, and credentials of which one part is missing. */
export function findInvalidExports(values: SettingsFile): Finding[] {
  const { export_s3_object: object = '{id}', export_s3_key: key, export_s3_secret: secret } = values;
  const names = Array.from(object.matchAll(/\{(\w*)\}/g), ([, name = '']) => name);
  const unknown = names.find((name) => !PLACEHOLDERS.has(name));
  const found: Finding[] = [];
  if (unknown !== undefined || !names.includes('id'))
    found.push(
      plainFinding(
        'settings',
        'settings.export_object',
        unknown === undefined
          ? 'export_s3_object has no {id}'
          : `export_s3_object has an unknown {${unknown}}`,
        'Write a name with {id}, and with {endpoint}, {date} and {format} as you like, such as {endpoint}/{date}/{id}.{format}',
      ),
    );
  if ((key === undefined) !== (secret === undefined))
    found.push(
      plainFinding(
        'settings',
        'settings.export_credentials',
        'export_s3_key and export_s3_secret need each other',
        'Set both, or none to use the credentials of the machine',
      ),
    );
  return found;
}
