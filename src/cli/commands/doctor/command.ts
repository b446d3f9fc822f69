// `millrace doctor`, its flags and help.
import type { Command } from 'commander';
import { runEntries } from '../../../service/endpoints/checks/check.ts';
import { EngineError } from '../../../service/engine/engine.ts';
import { settingsOf, withSettings, type CommandDeps, type Flags } from '../../kit/command.ts';
import { CommandError } from '../../kit/command-error.ts';
import { reportPreflight, reportRejected } from './doctor.ts';
import { withLocal } from '../../kit/local.ts';
import { DOCTOR_CHECKS } from './checks.ts';
import { rowPolicySql } from './row-policies/check.ts';
import { unobserved } from '../../../sql/base/observation.ts';

interface DoctorFlags {
  readonly rowPolicies?: boolean;
}

export function addDoctor(program: Command, deps: CommandDeps): void {
  withSettings(program.command('doctor'))
    .description(
      'Test the SQL sandbox with known escape attempts, and check the privileges and settings of the ClickHouse users; each finding comes with the SQL that fixes it. Exits 1 if an escape attempt succeeds, data of the embedded engine are damaged, or an endpoint file is rejected, which is then not tested.',
    )
    .option(
      '--row-policies',
      "print the SQL of row policies that repeat the endpoints' tenant conditions on the server, and run no tests",
    )
    .action(async (flags: Flags & DoctorFlags) => {
      const settings = await settingsOf(flags, deps);
      const given = {
        settings,
        observe: unobserved,
        whenInUse: IN_USE,
        isAuthoring: false,
      };
      if (flags.rowPolicies === true) {
        if (settings.clickhouse === undefined) throw new CommandError(NO_SERVER, { exitCode: 2 });
        const lines = await withLocal(given, deps, ({ catalog }, engine) => {
          return rowPolicySql(engine, catalog().all);
        }).catch(explain);
        for (const line of lines) deps.terminal.print(line);
        return;
      }
      const { findings, rejected } = await withLocal(given, deps, async (local, engine) => {
        const { clickhouse } = settings;
        const { all: endpoints } = local.catalog();
        const input = { clickhouse, engine, endpoints, preflight: local.preflight };
        return { findings: await runEntries(DOCTOR_CHECKS, input), rejected: local.rejected() };
      }).catch(explain);
      const isRejected = reportRejected(rejected, deps.terminal);
      deps.setExitCode(reportPreflight(findings, deps.terminal) | isRejected ? 1 : 0);
    });
}

const IN_USE = 'The tests need no rows of yours: use an empty folder, as in --data "$(mktemp -d)"';

const NO_SERVER = 'Row policies need a ClickHouse server: set CLICKHOUSE_URL';

function explain(cause: unknown): never {
  if (!(cause instanceof EngineError)) throw cause;
  throw new CommandError(`The engine cannot be queried: ${cause.message}`, { cause });
}
