// The SQL that gives a user a privilege it lacks, from the engine's message.
import { expect, test } from 'vitest';
import { EngineError } from '../../../src/service/engine/engine.ts';
import { missingGrant } from '../../../src/service/engine/missing-grant.ts';

const NECESSARY = "Not enough privileges. To execute this query, it's necessary to have the grant";

test.each([
  {
    message: `Code: 497. DB::Exception: millrace: ${NECESSARY} SELECT(active, name) ON system.parts. (ACCESS_DENIED)`,
    engineCode: 497,
    grant: 'GRANT SELECT(active, name) ON system.parts TO millrace',
  },
  {
    message: `DB::Exception: ${NECESSARY} CREATE TEMPORARY TABLE, REMOTE ON *.*.`,
    engineCode: 497,
    grant: 'GRANT CREATE TEMPORARY TABLE, REMOTE ON *.* TO the user of saved queries',
  },
  { message: 'Code: 497. DB::Exception: something else', engineCode: 497, grant: undefined },
  { message: 'Code: 60. DB::Exception: Unknown table', engineCode: 60, grant: undefined },
])('$grant', ({ message, engineCode, grant }) => {
  expect(missingGrant(new EngineError('rejected', message, { engineCode }))).toBe(grant);
});
