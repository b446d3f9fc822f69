// Changes of redaction. Detectors and rules count even if redaction only applies when a key or a header requires it.
import type { Pii } from '../../service/config/generated/endpoint.ts';
import { DEFAULT_DETECTORS } from '../../guard/redact/detectors.ts';
import type { Contract, ContractChange } from './contract.ts';
import { behaviour, breaking, security, type ChangeKinds } from './change-kinds.ts';

export const REDACTION_CHANGES = {
  'redaction.removed': security(
    'Responses are no longer redacted',
    'Every key receives personal data unless it requires redaction itself.',
  ),
  'redaction.added': behaviour('Every response is redacted', 'Values are replaced by REDACTED.'),
  'redaction.source_removed': security(
    'The tables of the saved query are no longer redacted',
    'Its result is redacted, but what the query computes from personal data is not.',
  ),
  'redaction.source_added': behaviour(
    'The tables of the saved query are redacted',
    'Conditions, groups and joins are computed from redacted values.',
  ),
  'redaction.min_group_lowered': security(
    'Consumer queries see smaller groups',
    'Groups of fewer rows tell more about each of them.',
  ),
  'redaction.min_group_raised': breaking(
    'Consumer queries see larger groups only',
    'Smaller groups are left out, and queries that do not aggregate fail.',
  ),
  'redaction.detector_removed': security(
    'One kind of personal data is no longer detected',
    'It is no longer redacted, even if a key or a header requires redaction.',
  ),
  'redaction.detector_added': behaviour(
    'One more kind of personal data is detected',
    'More values are replaced by REDACTED.',
  ),
  'redaction.column_rule_removed': security(
    'The redaction rule of a column was removed',
    'Its values are returned unchanged unless a detector finds something in them.',
  ),
  'redaction.column_rule_weakened': security(
    'The redaction rule of a column is weaker',
    'drop removes the column, mask shows only that there is a value, hash also shows which values are equal.',
  ),
  'redaction.column_rule_added': behaviour(
    'The redaction rule of a column was added or is stricter',
    'Redacted responses contain less of it.',
  ),
  'redaction.column_dropped': breaking(
    'A column is dropped from every response',
    'Readers that use it fail.',
  ),
  'redaction.kind_changed': behaviour(
    'The replacement of redacted values changed',
    'REDACTED or REDACTED:email.',
  ),
} as const satisfies ChangeKinds;

export type RedactionCode = keyof typeof REDACTION_CHANGES;

export function* compareRedaction(base: Contract, head: Contract): Generator<ContractChange<RedactionCode>> {
  const [before, after] = [base.analysis.file.pii, head.analysis.file.pii];
  const [wasOn, isOn] = [before?.redact === true, after?.redact === true];
  const path = ['pii', 'redact'];
  if (wasOn && !isOn) yield { code: 'redaction.removed', message: 'responses are no longer redacted', path };
  if (isOn && !wasOn) yield { code: 'redaction.added', message: 'every response is redacted', path };
  yield* comparePlace(before, after);
  yield* compareMinimum(before, after);
  yield* compareDetectors(before, after);
  yield* compareRules(before?.columns ?? {}, after?.columns ?? {}, wasOn || isOn);
  if ((before?.kind ?? false) === (after?.kind ?? false)) return;
  const says =
    after?.kind === true ? 'with their kind, as REDACTED:email' : 'without their kind, as REDACTED';
  yield {
    code: 'redaction.kind_changed',
    message: `redacted values are written ${says}`,
    path: ['pii', 'kind'],
  };
}

/** Where saved queries are redacted. Personal data that is no longer redacted at all is reported by itself. */
function* comparePlace(
  before: Pii | undefined,
  after: Pii | undefined,
): Generator<ContractChange<RedactionCode>> {
  const [was, is] = [before?.at ?? 'result', after?.at ?? 'result'];
  const path = ['pii', 'at'];
  if (was === 'source' && is === 'result')
    yield {
      code: 'redaction.source_removed',
      message: 'the saved query reads tables that are not redacted',
      path,
    };
  if (was === 'result' && is === 'source')
    yield { code: 'redaction.source_added', message: 'the saved query reads redacted tables', path };
}

/** Groups that consumer queries may see. */
function* compareMinimum(
  before: Pii | undefined,
  after: Pii | undefined,
): Generator<ContractChange<RedactionCode>> {
  const [was, is] = [before?.min_group ?? 1, after?.min_group ?? 1];
  const path = ['pii', 'min_group'];
  const message = `consumer queries see groups of at least ${is}, was ${was}`;
  if (is < was) yield { code: 'redaction.min_group_lowered', message, path };
  if (is > was) yield { code: 'redaction.min_group_raised', message, path };
}

function* compareDetectors(
  before: Pii | undefined,
  after: Pii | undefined,
): Generator<ContractChange<RedactionCode>> {
  const [old, now] = [before?.detectors ?? DEFAULT_DETECTORS, after?.detectors ?? DEFAULT_DETECTORS];
  const path = ['pii', 'detectors'];
  for (const name of old) {
    if (!now.includes(name))
      yield { code: 'redaction.detector_removed', message: `${name} is no longer detected`, path };
  }
  for (const name of now) {
    if (!old.includes(name)) yield { code: 'redaction.detector_added', message: `${name} is detected`, path };
  }
}

type Rules = NonNullable<Pii['columns']>;

/** Higher values reveal less of the original. */
const STRENGTH = { none: 0, hash: 1, mask: 2, drop: 3 } as const;

function* compareRules(
  before: Rules,
  after: Rules,
  isAlways: boolean,
): Generator<ContractChange<RedactionCode>> {
  const columns = [
    ...new Set([...Object.keys(before), ...Object.keys(after)].map((name) => name.toLowerCase())),
  ];
  for (const column of columns) {
    const [old, now] = [actionOn(before, column), actionOn(after, column)];
    const path = [
      'pii',
      'columns',
      Object.keys(after).find((name) => name.toLowerCase() === column) ?? column,
    ];
    if (STRENGTH[now] < STRENGTH[old]) {
      const code = now === 'none' ? 'redaction.column_rule_removed' : 'redaction.column_rule_weakened';
      yield { code, message: `${column}: ${now}, was ${old}`, path };
    }
    if (STRENGTH[now] > STRENGTH[old]) {
      const code = now === 'drop' && isAlways ? 'redaction.column_dropped' : 'redaction.column_rule_added';
      yield { code, message: `${column}: ${now}, was ${old}`, path };
    }
  }
}

/** The rule for a path in lower case: its own, or that of an enclosing path. */
function actionOn(rules: Rules, column: string): keyof typeof STRENGTH {
  const actions = Object.entries(rules).flatMap(([name, action]) => {
    const whole = name.toLowerCase();
    return column === whole || column.startsWith(`${whole}.`) ? action : [];
  });
  return actions.toSorted((a, b) => STRENGTH[b] - STRENGTH[a])[0] ?? 'none';
}
