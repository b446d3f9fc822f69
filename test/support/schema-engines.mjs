// The engines of tables that commands check files against, shared by the commands of a process: starting one takes longer than most
// checks do. An engine is emptied after each command.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

/** That of the run, not of a test file, which ends the processes of its own. */
const FOLDER = process.env.TMPDIR;
/** By what an engine is opened with; they are not in use. */
const idle = new Map();

/** `openEngine`, with shared engines. */
export const sharing = (openEngine) => async (settings, observe) => {
  const { data, engineSources, engineConfinement, connections, memory } = settings;
  if (!basename(data).startsWith('millrace-schema-')) return openEngine(settings, observe);
  const key = JSON.stringify([engineSources, engineConfinement, connections, memory]);
  const shared = idle.get(key) ?? (await open(openEngine, settings, observe));
  idle.delete(key);
  const { engine, folder } = shared;
  // The files of a command, where the engine can read them.
  const files = mkdtempSync(join(folder, 'engine', 'files-'));
  symlinkSync(files, join(data, 'engine'));
  let isClean = true;
  return {
    ...engine,
    execute: (sql, ...rest) => {
      isClean &&= !LASTING.test(sql);
      return engine.execute(sql, ...rest);
    },
    close: async (graceMs) => {
      rmSync(files, { recursive: true });
      if (isClean && !idle.has(key) && (await isEmptied(engine))) idle.set(key, shared);
      else await close(shared, graceMs);
    },
  };
};

async function open(openEngine, settings, observe) {
  const { TMPDIR: before } = process.env;
  process.env.TMPDIR = FOLDER;
  try {
    const folder = mkdtempSync(join(FOLDER, 'schema-'));
    return { folder, engine: await openEngine({ ...settings, data: folder }, observe) };
  } finally {
    process.env.TMPDIR = before;
  }
}

async function close({ engine, folder }, graceMs) {
  await engine.close(graceMs);
  rmSync(folder, { recursive: true });
}

/** What belongs to no database. */
const LASTING = /\b(?:FUNCTION|COLLECTION|WORKLOAD|RESOURCE|ROLE|USER|POLICY|QUOTA|PROFILE)\b/i;
const LEFT = `
SELECT 'DATABASE', quoted FROM (SELECT concat('\`', replaceAll(name, '\`', '\`\`'), '\`') AS quoted, name FROM system.databases)
  WHERE name NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA', 'default', 'millrace_empty')
UNION ALL SELECT 'TABLE', concat('default.\`', replaceAll(name, '\`', '\`\`'), '\`') FROM system.tables WHERE database = 'default'`;
const LIMITS = { time: 60, memory: 500_000_000, readRows: 0, resultBytes: 10_000_000 };
const ANY_ORDER = 'SETTINGS check_table_dependencies = 0, check_referential_table_dependencies = 0';

/** Drops all databases; false if that is not possible. */
async function isEmptied(engine) {
  const { running, waiting } = engine.load();
  if (running + waiting > 0) return false;
  try {
    const statement = { sql: LEFT, parameters: {}, origin: 'saved', int64: 'number', limits: LIMITS };
    const { chunks } = await engine.run(statement, { format: 'JSONCompactEachRow' });
    let lines = '';
    for await (const chunk of chunks) lines += Buffer.from(chunk).toString();
    for (const line of lines.split('\n').filter((each) => each !== '')) {
      const [kind, name] = JSON.parse(line);
      await engine.execute(`DROP ${kind} IF EXISTS ${name} SYNC ${ANY_ORDER}`);
    }
    return true;
  } catch {
    return false;
  }
}
