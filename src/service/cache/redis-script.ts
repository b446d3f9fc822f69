// Scripts of Redis, sent by their hash: the text of one is larger than all else of a call, and the client sends some 16 KB at a time.
import { createHash } from 'node:crypto';
import type { RedisClient } from './redis-connection.ts';
import { isReply } from './redis-link.ts';

export interface ScriptInput {
  readonly keys: readonly string[];
  readonly arguments: readonly string[];
}

export type Script = (client: RedisClient, input: ScriptInput) => Promise<unknown>;

/** A script that is sent whole only if Redis does not have it, as after its start, or does not permit EVALSHA. */
export function createScript(source: string): Script {
  const hash = createHash('sha1').update(source).digest('hex');
  return (client, { keys, arguments: values }) => {
    const input = { keys: [...keys], arguments: [...values] };
    return client.evalSha(hash, input).catch((cause: unknown) => {
      if (!isReply(cause, '(?:NOSCRIPT|NOPERM)')) throw cause;
      return client.eval(source, input);
    });
  };
}
