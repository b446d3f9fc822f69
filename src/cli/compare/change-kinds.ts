// The classes of contract changes.
import type { Finding, CodeText } from '../../sql/base/finding.ts';

/** Classes of changes, most severe first. */
export const CHANGE_CLASSES = [
  'security',
  'breaking',
  'exposure',
  'cost',
  'behaviour',
  'compatible',
] as const;

/**
 * security: security is weaker, so someone can read or do more than before. breaking: calls or readers that worked may
 * fail. exposure: data that no endpoint returned before. cost: calls may cost the engine more. behaviour: calls still work,
 * but results may differ. compatible: none of these.
 */
export type ChangeClass = (typeof CHANGE_CLASSES)[number];

/** A code's class; its help says why it is in that class. */
export interface ChangeKind extends CodeText {
  readonly class: ChangeClass;
}

/** By code. */
export type ChangeKinds = Readonly<Record<string, ChangeKind>>;

export const security = (title: string, help: string): ChangeKind => ({ class: 'security', title, help });
export const breaking = (title: string, help: string): ChangeKind => ({ class: 'breaking', title, help });
export const exposure = (title: string, help: string): ChangeKind => ({ class: 'exposure', title, help });
export const cost = (title: string, help: string): ChangeKind => ({ class: 'cost', title, help });
export const behaviour = (title: string, help: string): ChangeKind => ({
  class: 'behaviour',
  title,
  help,
});
export const compatible = (title: string, help: string): ChangeKind => ({
  class: 'compatible',
  title,
  help,
});

/** Every change has this message, at its location in the file. */
export type ChangeText = Pick<Finding, 'message' | 'file' | 'line'>;
