// Makes the file of a rollup from the query of a view, and asks the engine and the router whether it is one.
import { createRouter } from '../../../../guard/rollups/route.ts';
import { readRollupsOf } from '../../../../service/endpoints/rollups/read-rollups.ts';
import type { Engine } from '../../../../service/engine/engine.ts';
import { askRows } from '../../../../service/rollups/ask.ts';
import { readColumns } from '../../../../service/rollups/columns.ts';
import { resolveRollup } from '../../../../service/rollups/resolve.ts';
import type { Finding } from '../../../../sql/base/finding.ts';
import { ALL_TIMES } from '../../../checks/engine/rollup-routes.ts';
import { formatYaml } from '../../../yaml/format-yaml.ts';
import { writeYaml } from '../../../yaml/yaml-edit.ts';
import type { NewFile } from '../../check-written.ts';
import type { ConvertedQuery } from '../convert-query.ts';
import { fixedQuery } from '../fixed-query.ts';
import { readView, type Obstacle } from './read-view.ts';

export interface RollupPlace {
  readonly name: string;
  readonly path: string;
  /** The file that has a rollup of this name. */
  readonly other: string | undefined;
}

/** Resolves to the file of the rollup that a query of a view is, or why it is none. Rejects with EngineError. */
export async function makeRollup(
  engine: Engine,
  { sql, parameters }: Pick<ConvertedQuery, 'parameters'> & { readonly sql: string },
  { name, path, other }: RollupPlace,
): Promise<NewFile | Obstacle> {
  const read = readView(fixedQuery(sql, parameters) ?? sql);
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
