// Names of the tools that endpoints are for agents, and findings about them.
import { describe, expect, test } from 'vitest';
import { assembleCatalog, type Candidate } from '../../../src/service/endpoints/catalog.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { preferredToolName, toolNameFindings, toolNames } from '../../../src/service/endpoints/tool-names.ts';

const compile = createCompile({ piiHashKey: undefined });

/** The file of an endpoint with these keys after its name. */
function candidateOf(name: string, mcp = ''): Candidate {
  const id = `00000000-0000-4000-8000-${Buffer.from(name).toString('hex').padStart(12, '0').slice(-12)}`;
  const { candidate, diagnostics } = compile(
    `${name}.yaml`,
    `id: ${id}\nname: ${name}\nquery: SELECT 1 AS a\n${mcp}`,
  );
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate;
}

/** `name` or `name mcp-name` each. */
const candidatesOf = (files: readonly string[]): readonly Candidate[] =>
  files.map((file) => {
    const [name = '', tool] = file.split(' ');
    return candidateOf(name, tool === undefined ? '' : `mcp: { name: ${tool} }\n`);
  });

const SUFFIX = '_[0-9a-f]{8}';

test.each<{ files: readonly string[]; names: readonly string[] }>([
  { files: ['a.b-c_d'], names: ['a_b-c_d'] },
  { files: ['a.b', 'a_b'], names: [`a_b${SUFFIX}`, `a_b${SUFFIX}`] },
  { files: ['a.b', 'c.d a_b'], names: [`a_b${SUFFIX}`, `a_b${SUFFIX}`] },
  { files: ['a.b', 'a_b other'], names: ['a_b', 'other'] },
  { files: ['query', 'find_endpoints'], names: [`query${SUFFIX}`, `find_endpoints${SUFFIX}`] },
  { files: ['x'.repeat(100)], names: [`x{55}${SUFFIX}`] },
  { files: [`a.${'x'.repeat(62)}`], names: [`a_x{62}`] },
])('$files have the tools $names', ({ files, names }) => {
  const endpoints = candidatesOf(files).map(({ endpoint }) => endpoint);
  const found = [...toolNames(endpoints).keys()];
  expect(found).toEqual(names.map((name): unknown => expect.stringMatching(new RegExp(`^${name}$`))));
  expect(new Set(found).size).toBe(files.length);
  expect(found.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
});

test('a suffix depends on the name of its endpoint only', () => {
  const endpoints = candidatesOf(['a.b', 'a_b', 'query']).map(({ endpoint }) => endpoint);
  const some = new Set(toolNames(endpoints).keys());
  const more = candidatesOf(['aa.a a_b', 'z']).map(({ endpoint }) => endpoint);
  const all = new Set(toolNames([...more, ...endpoints]).keys());
  expect([...some].filter((name) => !all.has(name))).toEqual([]);
});

test('mcp: false is no tool, and its name is free', () => {
  const endpoints = [candidateOf('a.b', 'mcp: false\n'), candidateOf('a_b')].map(({ endpoint }) => endpoint);
  expect([...toolNames(endpoints)].map(([name, { name: of }]) => [name, of])).toEqual([['a_b', 'a_b']]);
  expect(endpoints.map(preferredToolName)).toEqual(['a_b', 'a_b']);
});

describe('findings', () => {
  test.each<{ files: readonly string[]; found: readonly string[]; hint?: RegExp }>([
    { files: ['a.b', 'a.c'], found: [] },
    {
      files: ['a.b', 'a_b'],
      found: ['a_b.yaml:2:7 warning mcp.duplicate_name'],
      hint: /^Add mcp: \{ name: a_b_rows \}; until then, the tool is called a_b_[0-9a-f]{8}$/,
    },
    {
      files: ['a_b', 'a.b'],
      found: ['a.b.yaml:2:7 warning mcp.duplicate_name'],
      hint: /^Add mcp: \{ name: a-b \}; /,
    },
    {
      files: ['a.b x', 'c x'],
      found: ['c.yaml:4:14 error mcp.duplicate_name'],
      hint: /^Write another name; until then, the tool is called x_[0-9a-f]{8}$/,
    },
    {
      files: ['query'],
      found: ['query.yaml:2:7 warning mcp.reserved_name'],
      hint: /^Add mcp: \{ name: query_rows \}/,
    },
    { files: ['q explain'], found: ['q.yaml:4:14 error mcp.reserved_name'] },
    { files: ['query', 'explain ok'], found: ['query.yaml:2:7 warning mcp.reserved_name'] },
  ])('$files: $found', ({ files, found, hint }) => {
    const findings = toolNameFindings(candidatesOf(files));
    expect(
      findings.map(
        ({ file, line, column, severity, code }) => `${file}:${line}:${column} ${severity} ${code}`,
      ),
    ).toEqual(found);
    if (hint !== undefined) expect(findings[0]?.hint).toMatch(hint);
  });

  test('two files of one endpoint are another finding', () => {
    const twice = [candidateOf('a'), { ...candidateOf('a') }];
    expect(toolNameFindings(twice)).toEqual([]);
    expect(assembleCatalog(twice).diagnostics.map(({ code }) => code)).toContain('endpoint.duplicate_name');
  });

  test.each([
    { mcp: 'mcp: true', code: 'schema.wrong_type' },
    { mcp: 'mcp: {}', code: 'schema.out_of_bounds' },
    { mcp: 'mcp: { name: a.b }', code: 'schema.string_invalid' },
    { mcp: `mcp: { name: ${'a'.repeat(65)} }`, code: 'schema.string_invalid' },
    { mcp: 'mcp: { nane: a }', code: 'schema.unknown_key' },
    { mcp: 'mcp: { max_rows: 1001 }', code: 'schema.out_of_bounds' },
  ])('$mcp is an error with its location', ({ mcp, code }) => {
    const id = '00000000-0000-4000-8000-000000000001';
    const { diagnostics } = compile('a.yaml', `id: ${id}\nname: a\nquery: SELECT 1 AS a\n${mcp}\n`);
    expect(diagnostics).toMatchObject([{ code, line: 4, severity: 'error' }]);
    expect(diagnostics[0]?.hint ?? 'nothing').not.toBe('');
  });
});
