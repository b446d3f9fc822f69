// What the engine finds in endpoint files, or why it could not be asked.
import { declaredIn, rollupFindings } from '../../checks/engine/rollups.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { EngineError } from '../../../service/engine/engine.ts';
import { analyseFiles, type Analyses } from '../analysis/analyse.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { ValidateOptions } from './options.ts';
import type { ListedFiles } from './own-findings.ts';

interface EngineOutcome {
  readonly findings: readonly Finding[];
  /** The reason why the engine could not be asked, or not about tables: the findings are printed all the same. */
  readonly failure: CommandError | undefined;
}

export const NOTHING: EngineOutcome = { findings: [], failure: undefined };

export async function engineOutcome(
  opened: Analyses | CommandError,
  { sound, files, concerned }: Pick<ListedFiles, 'sound' | 'files' | 'concerned'>,
  options: ValidateOptions & { readonly terminal: Terminal },
): Promise<EngineOutcome> {
  const { withoutTables } = options;
  const declared = withoutTables === undefined ? declaredIn(files, concerned) : [];
  if (sound.length === 0 && declared.length === 0) return NOTHING;
  if (opened instanceof CommandError) return { findings: [], failure: opened };
  const ofRollups = await rollupFindings(declared, opened.withEngine).catch(commandError);
  if (ofRollups instanceof CommandError) return { findings: [], failure: ofRollups };
  const all = sound.length === 0 ? [] : await analyseFiles(opened, sound, options).catch(commandError);
  if (all instanceof CommandError) return { findings: [], failure: all };
  if (withoutTables === undefined) return { findings: [...all, ...ofRollups], failure: undefined };
  const findings = all.filter(({ code }) => code !== 'engine.unknown_table');
  return { findings, failure: findings.length < all.length ? withoutTables : undefined };
}

export function commandError(cause: unknown): CommandError {
  if (cause instanceof CommandError) return cause;
  if (cause instanceof EngineError)
    return new CommandError(`The queries were not analysed: ${cause.message}`, { cause });
  throw cause;
}
