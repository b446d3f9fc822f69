// Reads the JSON report of a test run: `node failures.mjs REPORT`. Writes "PASSED FAILED" to standard output, and to
// standard error what did not pass, with the first lines of each error.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const ERROR_LINES = 6;
const ERROR_CHARACTERS = 600;
/** What a page of a browser test shows, after the error. */
const PAGE = /^Page .*/ms;
const PAGE_LINES = 60;

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
  const all = stripVTControlCharacters(error ?? '').trim();
  const first = linesOf(all.replace(PAGE, ''), ERROR_LINES).slice(0, ERROR_CHARACTERS);
  const text = [first, linesOf(PAGE.exec(all)?.[0] ?? '', PAGE_LINES)]
    .filter((part) => part !== '')
    .join('\n');
  console.error(`FAIL  ${title}${text === '' ? '' : `\n${text.replace(/^/gm, '  ')}`}`);
}
console.log(`${report.numPassedTests} ${failures.length}`);

function linesOf(text, count) {
  return text.split('\n').slice(0, count).join('\n');
}
