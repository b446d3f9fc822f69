// `millrace validate`: reports every finding in endpoint files, with its location.
import { HASH_WITHOUT_KEY } from '../../../service/endpoints/checks/confinement.ts';
import { keepCompiled } from '../analysis/sound-files.ts';
import { CommandError } from '../../kit/command-error.ts';
import { expandPaths } from '../../kit/endpoint-files.ts';
import { countErrors } from '../../findings/findings.ts';
import { createTextOf } from '../../findings/source-text.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { readFiles } from './read-files.ts';
import { shownFindings } from './shown.ts';
import { NOTHING, commandError, engineOutcome } from './engine-outcome.ts';
import type { ValidateOptions } from './options.ts';
import { ofFolder, ownFindings } from './own-findings.ts';

/**
 * Prints findings and resolves to the exit code: 0 if no file has an error, otherwise 1. Rejects with CommandError if
 * the engine could not be asked, after printing the other findings.
 */
export async function validate(options: ValidateOptions, terminal: Terminal): Promise<0 | 1> {
  const { print, isStrict } = options;
  const listed = await expandPaths(options.paths);
  const chosen = (await options.changed?.(listed)) ?? { concerned: new Set(listed), paths: listed };
  const opened = await options.openAnalyses().catch(commandError);
  const cache = opened instanceof CommandError ? undefined : opened.cache;
  const read = await readFiles(chosen, options, cache);
  const found = [
    ...(await ofFolder(options, { ...read, listed, concerned: chosen.concerned })),
    ...ownFindings(read.sound, cache, options),
  ];
  const {
    findings: ofEngine,
    routes,
    failure,
  } = options.asksEngine
    ? await engineOutcome(opened, { ...read, ...chosen }, { ...options, terminal })
    : NOTHING;
  const ofCosts =
    failure === undefined ? await options.findCosts?.(chosen.concerned).catch(commandError) : undefined;
  const costs = ofCosts instanceof CommandError ? [] : (ofCosts ?? []);
  await keepCompiled(read, chosen.concerned, cache);
  const textOf = createTextOf();
  const findings = shownFindings([...found, ...ofEngine, ...costs], textOf, read.files);
  const files = [...read.files.keys()].filter((path) => chosen.concerned.has(path)).length;
  await print({ findings, files, textOf }, terminal);
  for (const line of routes) terminal.print(line);
  if (failure !== undefined) throw failure;
  if (ofCosts instanceof CommandError) throw ofCosts;
  // CI rarely has the key: it is a matter of the service's configuration, not of the files.
  const counted = isStrict ? findings.filter(({ code }) => code !== HASH_WITHOUT_KEY).length : 0;
  return countErrors(findings) > 0 || counted > 0 ? 1 : 0;
}
