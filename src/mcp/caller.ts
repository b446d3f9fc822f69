// STUB
import type { Principal } from '../auth/principal.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { FormatName } from '../format/formats.ts';
import type { RawValue } from '../params/reading.ts';
import type { Answer } from '../request/call.ts';
import type { Explanation } from '../request/explain.ts';
export interface Caller {
  readonly principal: Principal;
  readonly catalog: Catalog;
  readonly answer: (
    endpoint: string,
    fields: ReadonlyMap<string, readonly RawValue[]>,
    format?: FormatName,
  ) => Promise<Answer>;
  readonly explain: (
    endpoint: string,
    fields: ReadonlyMap<string, readonly RawValue[]>,
  ) => Promise<Explanation>;
  readonly progress: (done: number, total: number | undefined, message: string) => void;
}
