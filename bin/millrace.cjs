#!/usr/bin/env node
// Sets the time zone before anything reads it, then loads dist/main.js.
'use strict';

// Dates without a time zone are printed in the process's zone, which is documented to be UTC.
process.env.TZ = 'UTC';

import('../dist/main.js').then(
  ({ main }) => main(process.argv),
  (cause) => {
    process.stderr.write(`millrace is not built; run npm ci (${cause.message})\n`);
    process.exitCode = 3;
  },
);
