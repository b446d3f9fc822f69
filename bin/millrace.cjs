#!/usr/bin/env node
// Sets the time zone before anything reads it, prepares the output streams, then loads dist/commands/main.js.
'use strict';

// V8 optimizes functions that have run eight times as long as by default: those of the start run once, and optimizing them
// takes a quarter of its processor time. Functions of the request path get there within the first requests.
require('node:v8').setFlagsFromString('--interrupt-budget=1000000');

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
