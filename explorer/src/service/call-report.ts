// The report of the service about a finished call.

export interface CallReport {
  readonly endpoint: string;
  readonly status: number;
  readonly ms: number;
  readonly stages?: Readonly<Record<string, number>>;
  readonly returned: { readonly rows: number; readonly bytes: number };
  readonly read?: { readonly rows: number; readonly bytes: number };
  readonly plan?: {
    readonly reads: readonly PlannedRead[];
    readonly others: readonly string[];
    readonly steps: readonly { readonly step: string; readonly depth: number; readonly threads: number }[];
  };
  readonly unplanned?: string;
  readonly beside: readonly { readonly endpoint: string; readonly calls: number; readonly engine: number }[];
  readonly reasons: readonly { readonly kind: string; readonly text: string; readonly fix?: string }[];
}

export interface PlannedRead {
  readonly table: string;
  readonly granules: number;
  /** It is null if the table is read as a whole. */
  readonly ofGranules: number | null;
  readonly used: readonly string[];
}
