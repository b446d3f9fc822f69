// Creates the comment of a pull request, or replaces the one that an earlier run created.
// https://docs.github.com/rest/issues/comments
import { readFile } from 'node:fs/promises';

const MAX_LENGTH = 65_536;
/** Pages of 100 comments that are searched for the earlier one. */
const MAX_PAGES = 30;

const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN, PULL_REQUEST, FOLDER, COMMENT } = process.env;
const marker = `<!-- millrace ${FOLDER} -->`;
const report = await readFile(COMMENT).catch(() => 'No report was written; see the log of the workflow.');
const body = `${marker}\n${String(report)}`.slice(0, MAX_LENGTH);

async function send(method, path, content) {
  const response = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues${path}`, {
    method,
    headers: {
      Accept: 'application/vnd.github+json',
      Authorization: `Bearer ${GITHUB_TOKEN}`,
      'X-GitHub-Api-Version': '2022-11-28',
    },
    ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${method} of the comment: ${response.status} ${await response.text()}`);
  return response.json();
}

async function earlierComment() {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const comments = await send('GET', `/${PULL_REQUEST}/comments?per_page=100&page=${page}`);
    const found = comments.find((each) => each.body?.startsWith(marker) && each.user?.type === 'Bot');
    if (found !== undefined || comments.length < 100) return found;
  }
  return undefined;
}

try {
  const earlier = await earlierComment();
  if (earlier === undefined) await send('POST', `/${PULL_REQUEST}/comments`, { body });
  else await send('PATCH', `/comments/${earlier.id}`, { body });
} catch (error) {
  // A pull request from a fork has a token that may only read: the annotations and the summary have the same content.
  const message = error.message
    .slice(0, 300)
    .replaceAll('%', '%25')
    .replaceAll(/[\r\n]+/g, '%0A');
  console.log(`::warning title=millrace::The comment was not written: ${message}`);
}
