// The reasons in endpoint files that allow changes, by the code of the change.
import type { Codes, PathFinding } from '../../sql/base/finding.ts';
import type { EndpointFile } from '../../service/config/generated/endpoint.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import type { ChangeClass } from './change-kinds.ts';
import { CHANGES, needsReason, type ChangeCode } from './changes.ts';
import { KEYS, type Key, type Reasons } from './written-reasons.ts';

export const REASON_CODES: Codes = {
  'reason.unknown_code': {
    title: 'A reason for a change that does not exist',
    help: 'Keys of allow and allow_security are the codes that millrace diff reports; docs/reference/contract-changes.md lists them.',
  },
  'reason.wrong_key': {
    title: 'A reason that cannot allow its change',
    help: 'allow holds reasons for breaking changes, allow_security those for security changes. Changes of the other classes need none.',
  },
  'reason.allow_breaking': {
    title: 'allow_breaking has no effect',
    help: 'Reasons are given by the code of the change: allow: { column.removed: the reason }, and allow_security for security changes. If the change was merged, remove the key.',
  },
};

/** The reason that allows a change, or what is wrong with the one that is there. */
export interface Verdict {
  readonly allowed: string | undefined;
  /** For the message of the change. */
  readonly remark: string | undefined;
}

/** Returns whether the new file allows a change that needs a reason; a reason that the old file had too allows nothing. */
export function judge(code: ChangeCode, before: Reasons, after: Reasons): Verdict {
  const key = keyFor(CHANGES[code].class) ?? 'allow';
  const reason = reasonOf(after, key, code);
  if (reason === undefined) {
    const other = KEYS.find((each) => reasonOf(after, each, code) !== undefined);
    const remark = other && `the reason is in ${other}: write it in ${key}`;
    return { allowed: undefined, remark };
  }
  if (!isOld(before, { key, code, reason })) return { allowed: reason, remark: undefined };
  return {
    allowed: undefined,
    remark: `the reason in ${key} is of an earlier change: write one for this change`,
  };
}

/** The key that holds reasons for changes of a class; undefined if they need none. */
export function keyFor(kind: ChangeClass): Key | undefined {
  if (!needsReason({ class: kind })) return undefined;
  return kind === 'security' ? 'allow_security' : 'allow';
}

interface Reason {
  readonly key: Key;
  readonly code: string;
  readonly reason: string;
}

function reasonOf(reasons: Reasons, key: Key, code: string): string | undefined {
  const given = reasons[key] ?? {};
  return Object.hasOwn(given, code) ? given[code] : undefined;
}

function listed(reasons: Reasons): readonly Reason[] {
  return KEYS.flatMap((key) =>
    Object.entries(reasons[key] ?? {}).map(([code, reason]) => ({ key, code, reason })),
  );
}

function isOld(before: Reasons, { key, code, reason }: Reason): boolean {
  const old = reasonOf(before, key, code);
  return old !== undefined && plain(old) === plain(reason);
}

function plain(reason: string): string {
  return reason.trim().replaceAll(/\s+/g, ' ');
}

/** A reason that allows no change of a comparison. */
export type UnusedReason = Pick<PathFinding, 'message' | 'path'> & {
  readonly code: 'reason.stale' | 'reason.unused';
};

/** The reasons of the new file without a change of their code. */
export function unusedReasons(
  before: Reasons,
  after: Reasons,
  changed: ReadonlySet<string>,
): readonly UnusedReason[] {
  return listed(after).flatMap((reason): readonly UnusedReason[] => {
    const { key, code } = reason;
    if (changed.has(code)) return []; // the change has the remark
    const path = [key, code];
    return isOld(before, reason)
      ? [
          {
            code: 'reason.stale',
            message: `${key}: the reason for ${code} was for an earlier change: remove it`,
            path,
          },
        ]
      : [
          {
            code: 'reason.unused',
            message: `${key}: there is no change ${code} that the reason could allow`,
            path,
          },
        ];
  });
}

/** Findings about the reasons of a file: unknown codes, and codes under the wrong key. */
export function* reasonFindings(file: EndpointFile): Iterable<PathFinding> {
  if (file.allow_breaking !== undefined) {
    yield {
      code: 'reason.allow_breaking',
      path: ['allow_breaking'],
      onKey: true,
      message: 'allow_breaking allows no changes',
      hint: 'Remove it if the change was merged. Otherwise write allow: { CODE: the reason }, or allow_security for a security change, with the codes that millrace diff reports',
    };
  }
  for (const { key, code } of listed(file)) {
    const finding = findingOf(key, code);
    if (finding !== undefined) yield { ...finding, path: [key, code], onKey: true };
  }
}

function findingOf(key: Key, code: string): Omit<PathFinding, 'path'> | undefined {
  if (!isCode(code)) {
    const hint = didYouMean(nearest(code, codesOf(key))) ?? 'Copy the code from the report of millrace diff';
    return { code: 'reason.unknown_code', message: `${code} is not the code of a change`, hint };
  }
  const { class: kind } = CHANGES[code];
  const right = keyFor(kind);
  if (right === key) return undefined;
  return right === undefined
    ? {
        code: 'reason.wrong_key',
        message: `${code} needs no reason: its class is ${kind}`,
        hint: 'Remove it',
      }
    : {
        code: 'reason.wrong_key',
        message: `${key} does not allow ${code}, which is a ${kind} change`,
        hint: `Write it in ${right}`,
      };
}

function isCode(code: string): code is ChangeCode {
  return Object.hasOwn(CHANGES, code);
}

function codesOf(key: Key): readonly string[] {
  return Object.entries(CHANGES)
    .filter(([, { class: kind }]) => keyFor(kind) === key)
    .map(([code]) => code);
}
