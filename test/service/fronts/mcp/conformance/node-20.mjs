// Loads the conformance suite on Node.js 20: it imports `globSync` of `node:fs`, for a command that the tests do not use, and
// Node.js 20 has none.
import { register } from 'node:module';

const FS = `export * from 'node:fs'; export const globSync = () => { throw new Error('Node.js 20 has no globSync'); };`;
const HOOKS = `export const resolve = (specifier, context, next) =>
  specifier === 'fs' && /conformance[^/]*\\/dist\\//.test(context.parentURL ?? '')
    ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(FS)}`)}, shortCircuit: true }
    : next(specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
