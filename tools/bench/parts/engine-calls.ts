// Compares engine connections in this process with connections in a separate process: the cost of the process boundary.
import { writeConfigFile } from '../../../src/service/engine/embedded/config-file.ts';
import { DEFAULT_CONFINEMENT } from '../../../src/service/engine/embedded/confinement/confinement.ts';
import { createConnections, type Connections } from '../../../src/service/engine/embedded/connection.ts';
import { startEngineProcess } from '../../../src/service/engine/embedded/engine-process.ts';
import { AUTHOR_PROFILE } from '../../../src/service/engine/embedded/profile.ts';
import { runMeasurements } from './measurements.ts';

const [path = '', where = ''] = process.argv.slice(2);
const configFile = await writeConfigFile({ path, memory: 2 ** 31 });
const connections: Connections =
  where === 'apart'
    ? startEngineProcess({ path, configFile, connections: 1, confinement: DEFAULT_CONFINEMENT })
    : createConnections({ path, configFile, chdb: await import('chdb') });
const connection = await connections.open(AUTHOR_PROFILE);

await runMeasurements({
  small: () => connection.call('SELECT 1', 'JSONEachRow'),
  // About the size of a hundred log rows.
  rows: () =>
    connection.call("SELECT number AS id, repeat('x', 280) AS text FROM numbers(100)", 'JSONEachRow'),
});
