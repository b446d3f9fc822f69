// Lists the files that may import 15 modules or more, each with the reason: they wire what other files do, and decide nothing themselves.
export const WIRING: ReadonlyMap<string, string> = new Map([
  ['service/app/listeners.ts', 'gives each front the parts of the service that it needs'],
  ['service/app/request-path.ts', 'opens the state that calls share'],
  ['service/app/test-runtime.ts', 'opens the same state for tests of endpoint files'],
  ['service/fronts/server.ts', 'adds the routes of each front to the API listener'],
  ['cli/checks/engine/engine-checks.ts', 'is the table of the checks that ask an engine'],
]);
