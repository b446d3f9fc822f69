// One browser for all files of a run: starting one takes as long as several tests. `tsx browser-server.ts EXECUTABLE FILE ARGUMENTS…`
// starts it, and writes its address into the file. It ends with the run, to whose temporary folder it belongs.
import { rename, writeFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';

const [, , executablePath = '', file = '', ...args] = process.argv;
const server = await chromium.launchServer({ executablePath, args });
await writeFile(`${file}.new`, server.wsEndpoint());
await rename(`${file}.new`, file); // whoever reads it finds all of it
