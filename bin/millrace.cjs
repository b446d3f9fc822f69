#!/usr/bin/env node
// Sets what has to be set before the process has started its threads, then hands over to dist/main.js.
'use strict';

// Read by libuv when its first thread starts: every running query of the embedded engine occupies one thread,
// and files, DNS and compression need some of their own.
const connections = Number.parseInt(process.env.MILLRACE_CONNECTIONS ?? '', 10) || 64;
process.env.UV_THREADPOOL_SIZE ??= String(Math.min(Math.max(connections, 4), 64) + 8);
// DateTime columns without a zone are read and printed in the process's zone: the promise is UTC.
process.env.TZ = 'UTC';

import('../dist/main.js').then(
  ({ main }) => main(process.argv),
  (cause) => {
    process.stderr.write(`millrace: not built: run npm ci (${cause.message})\n`);
    process.exitCode = 3;
  },
);
