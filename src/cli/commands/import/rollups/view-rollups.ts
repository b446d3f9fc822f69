// Views that materialize rows as rollups, beside their definitions or in place of them. What the engine does not prove is not written.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRouter } from '../../../../guard/rollups/route.ts';
import { readRollupsOf } from '../../../../service/endpoints/rollups/read-rollups.ts';
import type { Engine } from '../../../../service/engine/engine.ts';
import { askRows } from '../../../../service/rollups/ask.ts';
import { readColumns } from '../../../../service/rollups/columns.ts';
import { resolveRollup } from '../../../../service/rollups/resolve.ts';
import type { Finding } from '../../../../sql/base/finding.ts';
import { createPositions } from '../../../../sql/base/position.ts';
import { ALL_TIMES } from '../../../checks/engine/rollup-routes.ts';
import type { ForeignQuery } from '../../../convert/export/foreign-query.ts';
import { listEndpointFiles } from '../../../kit/endpoint-files.ts';
import { formatYaml } from '../../../yaml/format-yaml.ts';
import { writeYaml } from '../../../yaml/yaml-edit.ts';
import type { NewFile } from '../../check-written.ts';
import type { ConvertedQuery, PlacedNote } from '../convert-query.ts';
import type { DefinitionDraft } from '../definitions.ts';
import { fixedQuery } from '../fixed-query.ts';
import type { Views } from '../views.ts';
import { readView, type Obstacle } from './read-view.ts';

export interface RollupDraft extends NewFile {
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
  const taken = new Map(await namesIn(endpoints));
  for (const { query, sql, parameters } of converted) {
    const view = views.byQuery.get(query);
    const select = sql === undefined ? undefined : fixedQuery(sql, parameters);
    if (query.view === undefined || view === undefined || select === undefined || !isCreated(view)) continue;
    const name = query.title.toLowerCase();
    const path = join(endpoints, `${name}.rollup.yaml`);
    const made = await makeRollup(engine, select, { name, path, other: taken.get(name) });
    if ('message' in made) notes.set(view, noteOf(query, made));
    else {
      taken.set(name, path);
      drafts.set(view, { ...made, name, isAlone: !isRead(query, converted) });
    }
  }
  return { drafts, notes };
}

interface Named {
  readonly name: string;
  readonly path: string;
  /** The file that has a rollup of this name. */
  readonly other: string | undefined;
}

async function makeRollup(
  engine: Engine,
  select: string,
  { name, path, other }: Named,
): Promise<NewFile | Obstacle> {
  const read = readView(select);
  if ('message' in read) return read;
  if (other !== undefined && other !== path)
    return { message: `${other} already has a rollup with the name ${name}` };
  const text = formatYaml(writeYaml({ rollups: [{ name, ...read.rollup }] }), 'rollup');
  return (await obstacleTo(engine, { path, text }, read.ofRows)) ?? { path, text };
}

/** Asks the engine whether the table can have the rollup, and the router whether the query of the view would read it. */
async function obstacleTo(
  engine: Engine,
  { path, text }: NewFile,
  ofRows: string,
): Promise<Obstacle | undefined> {
  const { rollups: [declaration] = [], diagnostics } = readRollupsOf(path, text);
  if (declaration === undefined) return faultOf(diagnostics);
  const { plan, findings } = await resolveRollup(engine, declaration);
  if (plan === undefined) return faultOf(findings);
  const { rollup } = plan;
  const columns = await readColumns(engine, rollup.source);
  const [[zone] = []] = await askRows(engine, 'SELECT serverTimezone()');
  const route = createRouter({ zone }).route(ofRows, () => [{ rollup, coverage: ALL_TIMES, columns }]);
  if (route?.kind === 'rollup') return undefined;
  const { quoted, text: reason } = route?.reason ?? { text: 'the query reads no table', quoted: undefined };
  return {
    message: `its own query would not read the rollup: ${quoted === undefined ? '' : `${quoted} `}${reason}`,
    ...(quoted === undefined ? {} : { quoted }),
  };
}

function faultOf([first]: readonly Finding[]): Obstacle {
  const { message = 'it has no rollup', hint } = first ?? {};
  return { message: hint === undefined ? message : `${message}. ${hint}` };
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

/** Returns true if another query of the export has the name of the table that the view writes. */
function isRead(view: ForeignQuery, converted: readonly ConvertedQuery[]): boolean {
  const target = new RegExp(`\\b${view.view?.target ?? ''}(?:__v\\d+)?\\b`);
  return converted.some(({ query }) => query !== view && target.test(query.sql));
}

/** The files of the rollups that the folder has, by the names of these. */
async function namesIn(endpoints: string): Promise<readonly (readonly [name: string, path: string])[]> {
  const paths = existsSync(endpoints) ? await listEndpointFiles(endpoints) : [];
  const found: (readonly [string, string])[] = [];
  for (const path of paths) {
    const text = await readFile(path, 'utf8');
    if (!/^rollups\s*:/m.test(text)) continue;
    for (const { rollup } of readRollupsOf(path, text).rollups ?? []) found.push([rollup.name, path]);
  }
  return found;
}
