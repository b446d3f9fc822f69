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

// V8 optimizes what has run eight times as long as by default: a command that ends runs most of its code a few times only.
if (!['serve', 'lsp', 'mcp'].includes(process.argv[2])) {
  require('node:v8').setFlagsFromString('--interrupt-budget=1000000');
}

// Without the method QUERY, the routes cannot be added. The range is that of `engines` in package.json.
const [major, minor] = process.versions.node.split('.').map(Number);
const isInRange = major > 22 || (major === 22 ? minor >= 12 : major === 20 && minor >= 19);
if (isInRange && require('node:http').METHODS.includes('QUERY')) {
  import('../dist/commands/main.js').then(
    ({ main }) => main(process.argv),
    (cause) => {
      process.stderr.write(`millrace is not built; run npm ci (${cause.message})\n`);
      process.exitCode = 3;
    },
  );
} else {
  process.stderr.write(
    `millrace: Node.js ${process.versions.node} is not supported: use 20.19.2 or a later 20, or 22.12 or later\n`,
  );
  process.exitCode = 2;
}
