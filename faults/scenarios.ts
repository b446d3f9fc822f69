// All scenarios, in the order that they run in.
import type { Scenario } from './scenario.ts';
import { carriedOver } from './scenarios/carried-over.ts';
import { disconnects } from './scenarios/disconnects.ts';
import { leaks } from './scenarios/leaks.ts';
import { redisFaults } from './scenarios/redis-faults.ts';
import { yamlStorms } from './scenarios/yaml-storms.ts';

export const SCENARIOS: readonly Scenario[] = [leaks, carriedOver, disconnects, redisFaults, yamlStorms];
