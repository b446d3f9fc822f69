// All scenarios, in execution order.
import type { Scenario } from './scenario.ts';
import { beforeAuthentication } from './scenarios/before-authentication.ts';
import { carriedOver } from './scenarios/carried-over.ts';
import { clocks } from './scenarios/clocks.ts';
import { disconnects } from './scenarios/disconnects.ts';
import { diskFull } from './scenarios/disk-full.ts';
import { fuzz } from './scenarios/fuzz.ts';
import { hostileStrings } from './scenarios/hostile-strings.ts';
import { leaks } from './scenarios/leaks.ts';
import { liveStorm } from './scenarios/live-storm.ts';
import { memoryBombs } from './scenarios/memory-bombs.ts';
import { redisFaults } from './scenarios/redis-faults.ts';
import { remoteEngine } from './scenarios/remote-engine.ts';
import { slowReaders } from './scenarios/slow-readers.ts';
import { soak } from './scenarios/soak.ts';
import { stall } from './scenarios/stall.ts';
import { stops } from './scenarios/stops.ts';
import { uninterruptible } from './scenarios/uninterruptible.ts';
import { yamlStorms } from './scenarios/yaml-storms.ts';

export const SCENARIOS: readonly Scenario[] = [
  leaks,
  carriedOver,
  disconnects,
  slowReaders,
  liveStorm,
  remoteEngine,
  redisFaults,
  yamlStorms,
  diskFull,
  stops,
  beforeAuthentication,
  stall,
  fuzz,
  hostileStrings,
  memoryBombs,
  uninterruptible,
  clocks,
  soak,
];
