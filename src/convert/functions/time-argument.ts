// Arguments of functions of times.
import type { Value } from '../../dialects/value.ts';
import type { Application } from '../../dialects/function.ts';
import { asTime } from './time-parts.ts';

export const place = ({
  context,
  at,
}: Application): { readonly context: Application['context']; readonly at: number } => ({ context, at });

/** An argument as a time. */
export function time(application: Application, index: number): Value {
  return asTime(application.arg(index), application.context, application.at);
}
