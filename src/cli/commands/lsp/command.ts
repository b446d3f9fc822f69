// `millrace lsp`, its flags and help.
import { readFileSettings } from '../../checks/file.ts';
import type { Command } from 'commander';
import type { CommandDeps } from '../../kit/command.ts';
import {
  checkedSettings,
  existingSchema,
  type SchemaFlags,
  withSchemaOptions,
} from '../../kit/schema-options.ts';
import { createSession } from './session.ts';

export function addLsp(program: Command, deps: CommandDeps): void {
  const command = program
    .command('lsp')
    .description(
      'Serve the Language Server Protocol over standard input and output: the findings of validate while a file is edited, and completion, hover and definitions in its SQL.',
    )
    .option('--stdio', 'use standard input and output (the default)');
  withSchemaOptions(command).action(async (flags: SchemaFlags) => {
    const settings = await checkedSettings(flags, deps);
    const { openEngine, openTestRuntime, terminal, streams } = deps;
    const choose = () => existingSchema(flags, settings, deps);
    const { createDiagnose } = await import('./diagnose.ts');
    const { serveLsp } = await import('./server.ts');
    await serveLsp({
      diagnose: createDiagnose({ ...settings, ...(await readFileSettings(settings)) }),
      session: createSession({ settings, schema: choose, openEngine }),
      openTestRuntime,
      tenancy: settings.tenancy,
      isReported: ({ code }) => code !== 'engine.unknown_table' || choose() !== undefined,
      // Standard output belongs to the protocol.
      terminal: { ...terminal, print: terminal.note, write: terminal.note, progress: () => undefined },
      streams,
    });
  });
}
