#!/usr/bin/env node
// Sets the time zone before anything reads it, prepares the output streams, then loads dist/commands/main.js.
'use strict';

// Dates without a time zone are printed in the process's zone, which is documented to be UTC.
process.env.TZ = 'UTC';

// A reader such as `head` that has seen enough is no failure. A full disk is one, but ends no service.
let isReported = false;
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE' || isReported) return;
  isReported = true;
  process.stderr.write(`millrace: cannot write to standard output: ${error.code}\n`);
  process.on('exit', () => {
    process.exitCode ||= 1;
  });
});
process.stderr.on('error', () => {}); // there is nowhere else to report it

import('../dist/commands/main.js').then(
  ({ main }) => main(process.argv),
  (cause) => {
    process.stderr.write(`millrace is not built; run npm ci (${cause.message})\n`);
    process.exitCode = 3;
  },
);
