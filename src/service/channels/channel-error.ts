// Why a message could not be sent. Its text has no part of what the other side has sent, and no secret.
import { KnownError } from '../../sql/base/observation.ts';

export interface ChannelErrorOptions {
  readonly cause?: unknown;
  /** The other side asks to wait for so many seconds. */
  readonly retryAfter?: number | undefined;
}

export class ChannelError extends KnownError {
  readonly retryAfter: number | undefined;

  constructor(message: string, { cause, retryAfter }: ChannelErrorOptions = {}) {
    super(message, { cause });
    this.name = 'ChannelError';
    this.retryAfter = retryAfter;
  }
}
