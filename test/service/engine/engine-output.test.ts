// What the engine's process writes to standard error is reported, and in words only before it ran statements.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { watchOutput } from '../../../src/service/engine/embedded/engine-output.ts';

test('text until statements run, then sizes', () => {
  const observed: Observation[] = [];
  const errors = new PassThrough();
  const noteOpened = watchOutput(errors, (each) => void observed.push(each));
  errors.write('cannot open the folder\n');
  errors.read();
  noteOpened();
  errors.write("Fatal: SELECT 'Kanarienvogel'\n");
  errors.read();
  expect(observed).toEqual([
    { kind: 'engine.output', bytes: 23, text: 'cannot open the folder' },
    { kind: 'engine.output', bytes: 30 },
  ]);
});
