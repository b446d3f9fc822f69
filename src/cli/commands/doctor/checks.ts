// Lists what `millrace doctor` checks of a running service, in the order of its report.
import type { CheckEntry } from '../../../service/endpoints/checks/check.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { Settings } from '../../../service/config/settings.ts';
import { checkConfinement } from '../../../service/preflight/confinement.ts';
import { checkData } from '../../../service/preflight/data.ts';
import type { PreflightFinding } from '../../../service/preflight/finding.ts';
import { checkRollups } from './rollups.ts';
import { checkRowPolicies } from './row-policies/check.ts';
import { unfilteredRows } from './unfiltered-rows.ts';

export interface DoctorInput extends Pick<Settings, 'clickhouse'> {
  readonly engine: Engine;
  readonly endpoints: readonly Endpoint[];
  /** It runs the self-test of the sandbox. */
  readonly preflight: () => Promise<readonly PreflightFinding[]>;
}

/** The results have names in place of codes. */
export const DOCTOR_CHECKS: readonly CheckEntry<'service', PreflightFinding, DoctorInput>[] = [
  { needs: 'service', codes: {}, check: ({ preflight }) => preflight() },
  { needs: 'service', codes: {}, check: ({ engine }) => checkConfinement(engine) },
  { needs: 'service', codes: {}, check: ({ engine }) => checkData(engine) },
  {
    needs: 'service',
    codes: {},
    check: ({ clickhouse, engine, endpoints }) =>
      clickhouse === undefined ? unfilteredRows(engine, endpoints) : [],
  },
  {
    needs: 'service',
    codes: {},
    check: ({ clickhouse, engine, endpoints }) =>
      clickhouse?.rowPolicies === true ? checkRowPolicies(engine, endpoints) : [],
  },
  {
    needs: 'service',
    codes: {},
    check: ({ clickhouse, engine }) => (clickhouse === undefined ? [] : checkRollups(engine)),
  },
];
