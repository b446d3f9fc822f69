#!/usr/bin/env node
// Sets the time zone before anything reads it, then hands over to dist/main.js.
'use strict';

// Dates are printed in the process's zone where none is named: UTC is promised.
process.env.TZ = 'UTC';

import('../dist/main.js').then(
  ({ main }) => main(process.argv),
  (cause) => {
    process.stderr.write(`millrace: not built: run npm ci (${cause.message})\n`);
    process.exitCode = 3;
  },
);
