// What the log has of errors that are not the engine's.
import { connect } from 'node:net';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { KnownError } from '../../../src/sql/base/observation.ts';
import { loggedText } from '../../../src/service/observe/describe.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { redisFailure } from '../../../src/service/cache/redis-link.ts';
import { EngineError } from '../../../src/service/engine/engine.ts';
import { PLANTED, plantedIn } from '../../support/failing-statements.ts';

const WORD = 'Kanarienvogel';

function thrown(action: () => unknown): unknown {
  try {
    action();
  } catch (cause) {
    return cause;
  }
  throw new Error('it did not throw');
}

/** Without a prototype that could be asked for anything else. */
const odd = (fields: object): Error => Object.assign(new Error(WORD), fields);

describe('has none of the message', () => {
  test.each<[string, unknown, RegExp]>([
    ['of a parser', thrown(() => JSON.parse(`{"a":${WORD}}`)), /^SyntaxError at /],
    ['of the language', thrown(() => Reflect.get(Object(null), WORD).a), /^TypeError at /],
    ['of a number', thrown(() => 'a'.repeat(-4711471147)), /^RangeError at /],
    ['of BigInt', thrown(() => BigInt(WORD)), /^SyntaxError at /],
    ['of a URL', thrown(() => new URL(WORD)), /^ERR_INVALID_URL$/],
    ['of a regular expression', thrown(() => new RegExp(`(${WORD}`)), /^SyntaxError at /],
    ['of decoding', thrown(() => decodeURIComponent('%')), /^URIError at /],
    ['that looks like a stack', new Error(`x\n    at ${WORD} (${WORD}.js:1:2)`), /^Error at /],
    ['or of its name', odd({ name: `${WORD} 1` }), /^Error at /],
    ['or of its code, if that is none', odd({ code: WORD }), /^Error at /],
    ['or of its stack, if that was changed', odd({ stack: `    at ${WORD} (${WORD}.js:1:2)` }), /^Error$/],
    ['of a problem', new Problem('endpoint.failed', { detail: WORD }), /^endpoint\.failed$/],
    [
      'of causes',
      new KnownError('a', { cause: new Problem('internal.error', { cause: odd({}) }) }),
      /^a < internal\.error < Error at /,
    ],
    [
      'of an engine without a code',
      new EngineError('invalid_response', WORD, { isForeign: true }),
      /^invalid_response$/,
    ],
    [
      'of an engine with an unknown code',
      new EngineError('rejected', WORD, { engineCode: 999_999 }),
      /^an unknown code \(999999\)$/,
    ],
    ['of what is no error', WORD, /^a thrown string$/],
    ['of nothing', undefined, /^a thrown undefined$/],
    [
      'of a reply of Redis that quotes a command',
      redisFailure(new Error(`ERR unknown command 'EVAL', with args beginning with: '${WORD}'`)),
      /^ERR unknown command …$/,
    ],
    ['of a mistake of ours in a call of Redis', redisFailure(new TypeError(WORD)), /^TypeError at /],
  ])('%s', (_, error, expected) => {
    expect(plantedIn(loggedText(error))).toEqual([]);
    expect(loggedText(error)).toMatch(expected);
  });

  test('of a value that is frozen into many causes', () => {
    const chain = PLANTED.concat(PLANTED).reduce<Error>((cause, text) => new Error(text, { cause }), odd({}));
    expect(plantedIn(loggedText(chain))).toEqual([]);
  });
});

describe('has what an operator needs', () => {
  test('the address that refuses a connection', async () => {
    const [error]: unknown[] = await once(connect(1, '127.0.0.1'), 'error').catch((cause: unknown) => [
      cause,
    ]);
    expect(loggedText(error)).toBe('ECONNREFUSED connect 127.0.0.1:1');
  });

  test('the address of a request', async () => {
    const error: unknown = await fetch('http://127.0.0.1:9/').catch((cause: unknown) => cause);
    expect(loggedText(error)).toContain('TypeError');
  });

  test('the path of a file', async () => {
    const error: unknown = await readFile('/nowhere/at-all').catch((cause: unknown) => cause);
    expect(loggedText(error)).toBe('ENOENT open /nowhere/at-all');
  });

  test('the words of the service and of Redis', () => {
    expect(loggedText(new EngineError('timeout', 'no response within 5 ms'))).toBe('no response within 5 ms');
    const full = new Error("OOM command not allowed when used memory > 'maxmemory'.");
    expect(loggedText(redisFailure(full))).toBe('OOM command not allowed when used memory > …');
  });
});
