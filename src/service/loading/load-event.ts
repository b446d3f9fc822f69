// What happens while a file is loaded: the same in this process and, as JSON, from a service.

/** What happens, in order; the last one is `loaded`, `already_loaded` or `failed`. */
export type LoadEvent =
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'progress'; readonly phase: 'reading' | 'adding'; readonly rows: number }
  | ({ readonly kind: 'bad_row' } & ReportedRow)
  | { readonly kind: 'loaded'; readonly rows: number; readonly rejected: number }
  | { readonly kind: 'already_loaded'; readonly rows: number; readonly at: string }
  | { readonly kind: 'failed'; readonly line?: number; readonly message: string; readonly hint?: string };

/** A row that was not loaded; what is not UTF-8 is Base64. */
export interface ReportedRow {
  readonly line: number;
  readonly reason: string;
  readonly row?: string;
  readonly row_base64?: string;
}
