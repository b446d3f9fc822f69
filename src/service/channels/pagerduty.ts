// Events of PagerDuty (Events API v2): https://developer.pagerduty.com/docs/events-api-v2-overview
import { titleOf, type Channel, type Message } from './message.ts';
import { post, type PostDeps } from './post.ts';

const URL = 'https://events.pagerduty.com/v2/enqueue';
const MAX_SUMMARY = 1024;

export interface PagerdutyOptions {
  readonly name: string;
  readonly url: string | undefined;
  readonly routingKey: string;
}

export function createPagerduty({ name, url = URL, routingKey }: PagerdutyOptions, deps: PostDeps): Channel {
  return {
    name,
    kind: 'pagerduty',
    send: (message) => {
      const body = JSON.stringify({
        routing_key: routingKey,
        event_action: message.kind === 'resolved' || message.kind === 'recovered' ? 'resolve' : 'trigger',
        dedup_key: message.incident,
        payload: payloadOf(message),
      });
      return post(deps, { url, headers: { 'Content-Type': 'application/json' }, body });
    },
  };
}

function payloadOf(message: Message): object {
  const { id, watch, endpoint, group, values, text, at, kind } = message;
  return {
    summary: `${titleOf(message)}: ${text}`.slice(0, MAX_SUMMARY),
    source: endpoint,
    severity: kind === 'failing' || kind === 'no_data' ? 'warning' : 'error',
    timestamp: new Date(at).toISOString(),
    component: watch,
    custom_details: { id, group, values },
  };
}
