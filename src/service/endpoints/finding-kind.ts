// What the reference says about a finding code.

export interface FindingKind {
  readonly title: string;
  readonly help: string;
}
