// Detector of API keys with an issuer-specific prefix.
import { freshEnd, type Match, type WordDetector } from '../detector.ts';
import { HAS_ALPHA } from '../character-flags.ts';
import { DOT, isWordAt, KEY, type Units } from '../text.ts';

/** Prefixes and the minimum number of characters after them; a longer prefix precedes one that it starts with. */
export const API_KEY_PREFIXES: readonly (readonly [prefix: string, least: number])[] = [
  ['sk_live_', 10], // Stripe: secret, publishable, restricted, webhook
  ['sk_test_', 10],
  ['pk_live_', 10],
  ['pk_test_', 10],
  ['rk_live_', 10],
  ['rk_test_', 10],
  ['whsec_', 16],
  ['AKIA', 16], // AWS: long-term, temporary
  ['ASIA', 16],
  ['AIza', 30], // Google: key, access token, client secret
  ['ya29.', 20],
  ['GOCSPX-', 20],
  ['ghp_', 20], // GitHub
  ['gho_', 20],
  ['ghu_', 20],
  ['ghs_', 20],
  ['ghr_', 20],
  ['github_pat_', 20],
  ['glpat-', 16], // GitLab
  ['xoxb-', 10], // Slack
  ['xoxa-', 10],
  ['xoxp-', 10],
  ['xoxr-', 10],
  ['xoxs-', 10],
  ['xoxe-', 10],
  ['xapp-', 10],
  ['sk-ant-', 16], // Anthropic, OpenAI and others with a bare sk-
  ['sk-proj-', 16],
  ['sk-svcacct-', 16],
  ['sk-or-', 16],
  ['sk-', 32],
  ['sb_secret_', 16], // Supabase
  ['sbp_', 20],
  ['SG.', 20], // SendGrid
  ['npm_', 30], // package registries
  ['pypi-', 30],
  ['rubygems_', 30],
  ['dckr_pat_', 16],
  ['hf_', 30], // Hugging Face
  ['dop_v1_', 30], // DigitalOcean
  ['shpat_', 20], // Shopify
  ['shpss_', 20],
  ['sq0atp-', 16], // Square
  ['sq0csp-', 16],
  ['lin_api_', 20], // Linear
  ['ntn_', 30], // Notion
  ['PMAK-', 30], // Postman
  ['hvs.', 20], // Vault
  ['tskey-', 16], // Tailscale
];

/** Prefixes by their first unit. */
const BY_INITIAL = Array.from({ length: 128 }, (_, unit) =>
  API_KEY_PREFIXES.filter(([prefix]) => prefix.charCodeAt(0) === unit).map(([prefix, least]) => ({
    prefix,
    least,
  })),
);

export const apiKeyDetector: WordDetector = {
  name: 'api_key',
  needs: HAS_ALPHA,
  shortest: Math.min(...API_KEY_PREFIXES.map(([prefix, least]) => prefix.length + least)),
  initials: API_KEY_PREFIXES.map(([prefix]) => prefix.charAt(0)).join(''),
  read: readKey,
};

/** A run too short to be a key has bounded length, so reading it again keeps the scan linear. */
function readKey(units: Units, start: number): Match | undefined {
  for (const { prefix, least } of BY_INITIAL[units[start] ?? 0] ?? []) {
    if (!isWordAt(units, start, prefix)) continue;
    const rest = start + prefix.length;
    const end = restEnd(units, rest);
    if (end - rest >= least) return { start, end, name: 'api_key' };
  }
  return undefined;
}

const LONG_PART = 16;

/** Some keys have dots between long parts; a dot followed by less ends a sentence, or starts a file extension. */
function restEnd(units: Units, start: number): number {
  let end = freshEnd(units, start, KEY);
  while (units[end] === DOT) {
    const part = freshEnd(units, end + 1, KEY);
    if (part - end <= LONG_PART) break;
    end = part;
  }
  return end;
}
