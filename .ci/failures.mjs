// Reads the JSON report of a test run: `node failures.mjs REPORT`. Writes "PASSED FAILED" to standard output, and to
// standard error what did not pass, with the first lines of each error.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const ERROR_LINES = 6;
const ERROR_CHARACTERS = 600;

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
  const file = relative(process.cwd(), name);
  const tests = assertionResults.filter(({ status }) => status !== 'passed');
  // A file whose import or hook failed: tests may be missing, or be skipped.
  const isFileAlone = status === 'failed' && !tests.some((test) => test.status === 'failed');
  return [
    ...(isFileAlone ? [{ title: `${file}, outside of its tests`, error: message }] : []),
    ...tests.map((test) => ({
      title: `${file} > ${test.fullName} (${test.status})`,
      // Vitest's report has no other message for a test that takes too long.
      error: test.failureMessages?.join('\n').replaceAll('STACK_TRACE_ERROR', 'the test timed out') ?? '',
    })),
  ];
});
for (const { title, error } of failures) {
  const lines = stripVTControlCharacters(error ?? '')
    .trim()
    .split('\n')
    .slice(0, ERROR_LINES);
  const text = lines.join('\n').slice(0, ERROR_CHARACTERS);
  console.error(`FAIL  ${title}${text === '' ? '' : `\n${text.replace(/^/gm, '  ')}`}`);
}
console.log(`${report.numPassedTests} ${failures.length}`);
