// The classes of contract changes.

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

/** A code's class, and why. */
export interface ChangeKind {
  readonly class: ChangeClass;
  readonly title: string;
  readonly reason: string;
}

export const security = (title: string, reason: string): ChangeKind => ({ class: 'security', title, reason });
export const breaking = (title: string, reason: string): ChangeKind => ({ class: 'breaking', title, reason });
export const exposure = (title: string, reason: string): ChangeKind => ({ class: 'exposure', title, reason });
export const cost = (title: string, reason: string): ChangeKind => ({ class: 'cost', title, reason });
export const behaviour = (title: string, reason: string): ChangeKind => ({
  class: 'behaviour',
  title,
  reason,
});
export const compatible = (title: string, reason: string): ChangeKind => ({
  class: 'compatible',
  title,
  reason,
});
