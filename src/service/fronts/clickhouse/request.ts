// A request of the ClickHouse interface, as far as all statements need it.
import type { Principal } from '../../auth/principal.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { EngineFormat } from '../../formats/clickhouse-formats.ts';
import type { ClickHouseCall, ClickHouseContent } from './call.ts';
import type { Databases, NamedDatabase } from './databases.ts';
import { inOriginal, type EditedText } from './edited-text.ts';
import type { ReadSettings } from './settings.ts';

export interface Request {
  readonly call: ClickHouseCall;
  readonly content: ClickHouseContent;
  readonly principal: Principal;
  readonly databases: Databases;
  /** Undefined: none was named. */
  readonly current: NamedDatabase | undefined;
  readonly settings: ReadSettings;
  readonly format: EngineFormat;
  readonly contentType: string;
  readonly queryId: string;
}

/** Runs a step on an edited text; its problems get the positions of the text before. */
export async function inText<Out>(
  source: string,
  edited: EditedText,
  run: () => Promise<Out> | Out,
): Promise<Out> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof Problem ? inOriginal(error, source, edited) : error;
  }
}
