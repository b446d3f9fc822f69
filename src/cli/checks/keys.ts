// The checks of the tokens file beside a folder of endpoint files.
import { resolve } from 'node:path';
import { createReadTokens } from '../../service/auth/tokens-file.ts';
import { leadsOutside, outsideFinding } from '../../service/config/leads-outside.ts';
import { locateAll } from '../../service/config/locate-finding.ts';
import type { EndpointHead } from '../../service/endpoints/endpoint.ts';
import { findUnlockedKeys, TENANCY_KEY_CODES } from '../../service/endpoints/tenancy-keys.ts';
import type { Codes, Finding } from '../../sql/base/finding.ts';
import { DEAD_KEY_CODES, findDeadKeys } from './dead-keys.ts';

export const KEY_CODES: Codes = { ...TENANCY_KEY_CODES, ...DEAD_KEY_CODES };

export interface KeyInput {
  /** Files and folders, as given. */
  readonly paths: readonly string[];
  /** The endpoints of the files that are to be checked, if they have no errors. */
  readonly sound: readonly EndpointHead[];
  /** The number of endpoint files among the paths. */
  readonly count: number;
  /** The folder of endpoint files that a service would serve. */
  readonly endpoints: string;
  /** The tokens file, if one is set. */
  readonly tokens: string | undefined;
}

/** Findings about the tokens file, if it exists; about keys without effect only if all endpoints are known. */
export async function keyFindings(input: KeyInput): Promise<readonly Finding[]> {
  const { tokens: path, paths, endpoints: folder, sound, count } = input;
  if (path === undefined) return [];
  if (leadsOutside(path)) return [outsideFinding(path)];
  const read = await createReadTokens()(path);
  if (read.kind !== 'read') return read.kind === 'rejected' ? read.diagnostics : [];
  const isWhole = paths.some((each) => resolve(each) === resolve(folder)) && sound.length === count;
  const dead = isWhole ? findDeadKeys(read.tokens, sound) : [];
  return locateAll(read.document, [...findUnlockedKeys(read.tokens, sound), ...dead]);
}
