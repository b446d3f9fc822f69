// Views that materialize rows as rollups, beside their definitions or in place of them. What the engine does not prove is not written.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createCompile } from '../../../../service/endpoints/compile.ts';
import { loadFiles } from '../../../../service/endpoints/load.ts';
import type { Engine } from '../../../../service/engine/engine.ts';
import { createPositions } from '../../../../sql/base/position.ts';
import type { ForeignQuery } from '../../../convert/export/foreign-query.ts';
import { ANY_KEY, listEndpointFiles } from '../../../kit/endpoint-files.ts';
import { LOADING } from '../../../kit/real-time.ts';
import type { ConvertedQuery, PlacedNote } from '../convert-query.ts';
import type { DefinitionDraft } from '../definitions.ts';
import type { Views } from '../views.ts';
import { makeRollup } from './make-rollup.ts';
import type { Obstacle } from './read-view.ts';

export interface RollupDraft {
  readonly path: string;
  readonly text: string;
  readonly name: string;
  /** No other query of the export reads what the view writes: the rollup takes its place. */
  readonly isAlone: boolean;
}

/** The key is the definition of a view. */
export interface ImportedRollups {
  readonly drafts: ReadonlyMap<DefinitionDraft, RollupDraft>;
  /** Why a view is no rollup. */
  readonly notes: ReadonlyMap<DefinitionDraft, PlacedNote>;
}

interface RollupMaking {
  readonly engine: Engine;
  readonly endpoints: string;
  /** It returns whether the engine has the view. */
  readonly isCreated: (draft: DefinitionDraft) => boolean;
}

/** Rejects with EngineError if the engine is lost. */
export async function rollupsOf(
  converted: readonly ConvertedQuery[],
  views: Views,
  { engine, endpoints, isCreated }: RollupMaking,
): Promise<ImportedRollups> {
  const drafts = new Map<DefinitionDraft, RollupDraft>();
  const notes = new Map<DefinitionDraft, PlacedNote>();
  if (converted.every(({ query }) => query.view === undefined)) return { drafts, notes };
  const taken = new Map(await namesIn(endpoints));
  for (const { query, sql = '', parameters } of converted) {
    const view = views.byQuery.get(query);
    if (query.view === undefined || view === undefined || !isCreated(view)) continue;
    const name = query.title.toLowerCase();
    const path = join(endpoints, `${name}.rollup.yaml`);
    const made = await makeRollup(engine, { sql, parameters }, { name, path, other: taken.get(name) });
    if ('message' in made) notes.set(view, noteOf(query, made));
    else {
      taken.set(name, query.file);
      drafts.set(view, { ...made, name, isAlone: !isRead(query, converted) });
    }
  }
  return { drafts, notes };
}

function noteOf(query: ForeignQuery, { message, quoted = '' }: Obstacle): PlacedNote {
  const offset = Math.max(query.sql.indexOf(quoted), 0);
  return {
    severity: 'note',
    code: 'rollup',
    message: `No rollup is made of it: ${message}`,
    place: query.locate(offset),
    inQuery: createPositions(query.sql)(offset),
  };
}

/** Returns false if nothing but the view has the name of the table that it writes. Values that are no states can be read outside of the export. */
function isRead(view: ForeignQuery, converted: readonly ConvertedQuery[]): boolean {
  if (!/State(?:If)?\s*\(/.test(view.sql)) return true;
  const target = new RegExp(`\\b${view.view?.target ?? ''}(?:__v\\d+)?\\b`);
  return converted.some(({ query }) => query !== view && target.test(query.sql));
}

/** The files of the rollups that the folder has, by the names of these. */
async function namesIn(endpoints: string): Promise<readonly (readonly [name: string, path: string])[]> {
  if (!existsSync(endpoints)) return [];
  const compile = createCompile({ piiHashKey: ANY_KEY, engineSources: 'any' });
  const { files } = await loadFiles(await listEndpointFiles(endpoints), new Map(), { compile, ...LOADING });
  return [...files.values()].flatMap(({ file, rollups = [] }) =>
    rollups.map(({ rollup }) => [rollup.name, file] as const),
  );
}
