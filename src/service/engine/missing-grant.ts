// What to grant if a user of the server lacks a privilege.
import type { EngineError } from './engine.ts';

/** ClickHouse's code of errors for lack of a privilege. */
export const ACCESS_DENIED = 497;

/**
 * `GRANT SELECT(a, b) ON system.parts TO millrace`, from the engine's message `millrace: Not enough privileges. …, it's necessary
 * to have the grant SELECT(a, b) ON system.parts.`; undefined for other errors.
 */
export function missingGrant({ engineCode, message }: EngineError): string | undefined {
  if (engineCode !== ACCESS_DENIED && !message.includes('Not enough privileges')) return undefined;
  const text = message.slice(0, 4000);
  const grant = /necessary to have the grant ([\w ,()]+ ON [\w*`]+(?:\.[\w*`]+)?)/.exec(text)?.[1];
  if (grant === undefined) return undefined;
  const user = /(?:^|Exception: )([\w@.`-]+): Not enough privileges/.exec(text)?.[1];
  return `GRANT ${grant} TO ${user ?? 'the user of saved queries'}`;
}
