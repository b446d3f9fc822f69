// Problems as errors of the protocol, for requests that have no result of their own for errors.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Problem } from '../../../sql/base/problem.ts';

/** The first code that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32000;

/** What clients may see of an error: of a Problem its code and hint, of anything unexpected nothing. */
export function protocolError(error: unknown): ProtocolError {
  if (!(error instanceof Problem))
    return new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
  const { code, status, message, hint, retryAfter } = error;
  const number = status === 400 || status === 404 ? ProtocolErrorCode.InvalidParams : SERVER_ERROR;
  const data = { code, hint, ...(retryAfter === undefined ? {} : { retry_after: Math.ceil(retryAfter) }) };
  return new ProtocolError(status >= 500 ? ProtocolErrorCode.InternalError : number, message, data);
}
