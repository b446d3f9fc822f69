// Incoming webhooks of Slack, and of programs with the same interface, such as Mattermost.
import { titleOf, type Channel } from './message.ts';
import { post, type PostDeps } from './post.ts';

const MAX_TEXT = 2900;

export function createSlack(
  { name, url }: { readonly name: string; readonly url: string },
  deps: PostDeps,
): Channel {
  return {
    name,
    kind: 'slack',
    send: (message) => {
      const text = `${titleOf(message)}\n${message.text}`.slice(0, MAX_TEXT);
      const body = JSON.stringify({
        text: escapeText(text),
        // Plain text has no links, mentions and formats. Programs that know no blocks show the text above.
        blocks: [{ type: 'section', text: { type: 'plain_text', text, emoji: false } }],
      });
      return post(deps, { url, headers: { 'Content-Type': 'application/json' }, body });
    },
  };
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A character of no width after what begins a mention, a link or a format keeps it a text (https://docs.slack.dev/messaging/formatting-message-text). */
function escapeText(text: string): string {
  return text
    .replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? character)
    .replaceAll(/[@!#*_~`[\]()|]|(?<=https?):/g, (character) => `${character}\u200b`);
}
