#!/usr/bin/env node
// Sets the time zone before anything reads it, prepares the output streams, then loads dist/commands/main.js.
'use strict';

// Dates without a time zone are printed in the process's zone, which is documented to be UTC.
process.env.TZ = 'UTC';

// A reader such as `head` that has seen enough is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

import('../dist/commands/main.js').then(
  ({ main }) => main(process.argv),
  (cause) => {
    process.stderr.write(`millrace is not built; run npm ci (${cause.message})\n`);
    process.exitCode = 3;
  },
);
