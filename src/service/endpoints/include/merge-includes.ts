// Puts a file together with the parts that it includes: one WITH clause, one set of parameters, one set of policies.
import type { PathFinding } from '../../../sql/base/finding.ts';
import type { Path } from '../../config/yaml-document.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { nodesOf, spanOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import { nameTokens, tokensOf } from '../../../sql/clickhouse/tree/tokens.ts';
import type { Base } from './base.ts';
import { tablesIn } from './part.ts';
import type { Included, Note, Part, PartTables, Placed, ResolvedInclude } from './part.ts';
import { includedParameters } from './merge-parameters.ts';
import { passParameters, type Passed } from './pass-parameters.ts';
import { slicePieces, textOf, type Piece } from './pieces.ts';

/** An element that is included, with the values that are passed on in place of parameters. */
interface Element extends Included {
  readonly text: string;
  readonly path: Path;
  /** Names that the text may refer to: those of the WITH clause that it was written in. */
  readonly scope: ReadonlySet<string>;
}

/** Bytes of SQL that a file can include, those that included files include among them. */
const MAX_INCLUDED = 1_048_576;

/** The part, or the errors because of which there is none; findings are located in the including file. */
export function mergeIncludes(
  base: Base,
  includes: readonly ResolvedInclude[],
): { readonly part: Part | undefined; readonly findings: readonly PathFinding[] } {
  if (includes.length === 0) return { part: base, findings: [] };
  const findings: PathFinding[] = [];
  const note: Note = (code, path, message, hint) => {
    const onKey = code === 'include.unknown_parameter';
    findings.push({ code, path, onKey, message, ...(hint === undefined ? {} : { hint }) });
  };
  const parameters = includedParameters(base, includes, note);
  const elements = elementsOf(base, includes, { note, passed: parameters.passed });
  const size = elements.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (size > MAX_INCLUDED)
    note(
      'include.too_large',
      ['include'],
      `the file includes ${size} bytes of SQL; the maximum is ${MAX_INCLUDED}`,
    );
  const query = elements.length === 0 ? base.query : withElements(base, elements, note);
  const parametersUsed = passParameters(query, NOTHING_PASSED).used;
  const part: Part = {
    name: base.name,
    document: base.document,
    query,
    tables: tablesIn(query),
    ownTables: base.ownTables,
    parameters: parameters.all(parametersUsed),
    policies: new Map([...base.policies, ...policiesOf(base, includes, note)]),
    restrictions: new Set(
      [base, ...includes.map((each) => each.part)].flatMap((each) => [...each.restrictions]),
    ),
  };
  if (findings.length > 0) return { part: undefined, findings };
  return { part, findings: withoutPolicies(base, includes) };
}

const NOTHING_PASSED: ReadonlyMap<string, Passed> = new Map();

interface Including {
  readonly note: Note;
  /** By the index of the include. */
  readonly passed: readonly ReadonlyMap<string, Passed>[];
}

/** What is included, in order. The same element by two ways is one; two elements of one name are an error. */
function elementsOf(
  base: Base,
  includes: readonly ResolvedInclude[],
  { note, passed }: Including,
): readonly Element[] {
  const own = new Map(namesDefinedIn(base).map((name) => [name.toLowerCase(), name]));
  const elements = new Map<string, Element>();
  for (const [order, { include, index, part }] of includes.entries()) {
    const tables = part.tables();
    if (tables === undefined) {
      note(
        'include.broken',
        ['include', index],
        `the query of ${part.name} has errors`,
        'Correct them there first',
      );
      continue;
    }
    const scope = new Set(tables.defined.map((name) => name.toLowerCase()));
    for (const taken of take(base, { include, index, part }, tables, note)) {
      const values = passed[order] ?? NOTHING_PASSED;
      const pieces = values.size === 0 ? taken.pieces : passParameters(taken.pieces, values).pieces;
      const element = { ...taken, pieces, text: textOf(pieces), path: ['include', index], scope };
      const folded = taken.name.toLowerCase();
      const before = elements.get(folded);
      if (before === undefined && !own.has(folded)) elements.set(folded, element);
      else if (before?.text !== element.text) {
        const owner = before === undefined ? 'the query of this file defines' : 'another include has';
        note('include.duplicate_table', element.path, `${owner} ${taken.name} too`, RENAME);
      }
    }
  }
  const all = [...elements.values()];
  reportCaptured(base, all, note);
  return all;
}

const RENAME =
  'Rename one of the two: included tables keep their names. A table of this file can have any: WITH other AS (SELECT …)';

function namesDefinedIn(base: Base): readonly string[] {
  return base.tables()?.defined ?? base.ownTables();
}

/** The elements that one include takes, its result among them. */
function take(
  base: Base,
  { include, index, part }: ResolvedInclude,
  tables: PartTables,
  note: Note,
): readonly Included[] {
  const path: Path = ['include', index];
  const isEndpoint = include.from === undefined;
  if (include.result !== undefined && !isEndpoint)
    note(
      'include.not_an_endpoint',
      [...path, 'result'],
      'a shared file has no result',
      'Name a table of it under tables',
    );
  const wanted = include.tables === 'all' ? part.ownTables() : (include.tables ?? []);
  for (const [at, name] of wanted.entries()) {
    if (tables.names.includes(name)) continue;
    const where = include.tables === 'all' ? [...path, 'tables'] : [...path, 'tables', at];
    note(
      'include.unknown_table',
      where,
      `${part.name} has no table ${name}`,
      didYouMean(nearest(name, tables.names)),
    );
  }
  if (include.tables === 'all' && part.ownTables().length === 0)
    note('include.unknown_table', [...path, 'tables'], `${part.name} defines no tables`);
  const result = isEndpoint ? include.result : undefined;
  if (result !== undefined && tables.hasSettings)
    note(
      'include.settings',
      [...path, 'result'],
      `the query of ${part.name} ends with SETTINGS, which cannot be included`,
      'Move the query to a table without them, and write SETTINGS in both endpoints',
    );
  return tables.take(
    wanted.filter((name) => tables.names.includes(name)),
    result === undefined
      ? undefined
      : { name: result, origin: { document: base.document, path: [...path, 'result'], offset: 'value' } },
  );
}

/** Named expressions apply to the whole query: one of another file must not change what an included table means. */
function reportCaptured(base: Base, elements: readonly Element[], note: Note): void {
  const own = new Set(base.ownTables().map((name) => name.toLowerCase()));
  const named = namesDefinedIn(base).filter((name) => !own.has(name.toLowerCase()));
  const expressions = new Set(
    [...named, ...elements.filter(({ kind }) => kind !== 'table').map(({ name }) => name)].map((name) =>
      name.toLowerCase(),
    ),
  );
  if (expressions.size === 0) return;
  for (const { text, scope, path, name } of elements) {
    const tree = tokensOf(text);
    const captured = nameTokens(tree).find((mentioned) => {
      const folded = mentioned.name.toLowerCase();
      const isName = !/^[.@]$/.test(wordOf(tree, { at: mentioned.at - 1 }));
      return isName && expressions.has(folded) && !scope.has(folded);
    });
    if (captured !== undefined)
      note(
        'include.captured',
        path,
        `${captured.name} in the table ${name} would be the expression of that name in another WITH clause`,
        'Rename the expression',
      );
  }
}

/** The query with further elements at the start of its WITH clause. */
function withElements(base: Base, elements: readonly Element[], note: Note): readonly Piece[] {
  const sql = textOf(base.query);
  const tree = parseSavedText(sql);
  const [clause] = nodesOf(tree.root, 'with');
  const hasWith = wordOf(tree, { at: 0 }) === 'WITH';
  const isRecursive = hasWith && clause !== undefined && wordOf(tree, clause) === 'RECURSIVE';
  if (isRecursive || wordOf(tree, { at: 0 }) === '(')
    note(
      'include.query_form',
      ['query'],
      'tables cannot be included in a query that starts with a parenthesis or with WITH RECURSIVE',
      'Write SELECT * FROM (…) around it',
    );
  const at = hasWith ? spanOf(tree, { from: 0, to: 1 }).end : 0;
  const origin = { document: base.document, path: ['include'], offset: 'key' } as const;
  const added = elements.flatMap(({ pieces }, index): readonly Piece[] => [
    { text: index === 0 ? `${hasWith ? '' : 'WITH'}\n` : ',\n', origin },
    ...pieces,
  ]);
  return [
    ...slicePieces(base.query, 0, at),
    ...added,
    { text: hasWith ? ',' : '\n', origin },
    ...slicePieces(base.query, at, sql.length),
  ];
}

/** The policies that the includes take over. */
function policiesOf(
  base: Base,
  includes: readonly ResolvedInclude[],
  note: Note,
): ReadonlyMap<string, Placed<unknown>> {
  const policies = new Map<string, Placed<unknown>>();
  for (const { include, index, part } of includes) {
    for (const [at, name] of (include.policies ?? []).entries()) {
      const path = ['include', index, 'policies', at];
      const policy = part.policies.get(name);
      if (include.from === undefined)
        note(
          'include.not_shared',
          path,
          'policies are included from shared files only',
          'Write the policy here, or move it to a shared file',
        );
      else if (policy === undefined)
        note(
          'include.unknown_policy',
          path,
          `${part.name} has no policy ${name}`,
          didYouMean(nearest(name, part.policies.keys())),
        );
      else if (base.keys.has(name) || policies.has(name))
        note(
          'include.duplicate_policy',
          path,
          `${base.keys.has(name) ? 'this file' : 'another include'} sets ${name} too`,
          'Remove one of the two',
        );
      else if (name === 'sandbox.functions' && isEndpointWithoutSandbox(base))
        note(
          'include.duplicate_policy',
          path,
          'this file has no sandbox',
          'Write sandbox: { enabled: true } here',
        );
      else policies.set(name, policy);
    }
  }
  return policies;
}

/** Warnings of endpoints that include tables without what restricts them where they come from. */
function withoutPolicies(base: Base, includes: readonly ResolvedInclude[]): readonly PathFinding[] {
  if (!base.keys.has('query')) return []; // a shared file: those that include it decide
  const set = new Set([...base.keys, ...includes.flatMap(({ include }) => include.policies ?? [])]);
  return includes.flatMap(({ include, index, part }) => {
    if (include.tables === undefined && include.result === undefined) return [];
    return [...part.restrictions]
      .filter((policy) => !set.has(policy))
      .map((policy) => ({
        severity: 'warning',
        code: 'lint.policy_not_included',
        path: ['include', index],
        message: `${part.name} has ${policy}, and this endpoint has not`,
        hint:
          include.from === undefined
            ? `Write ${policy} in this file`
            : `Add policies: [${policy}], or write ${policy} in this file`,
      }));
  });
}

function isEndpointWithoutSandbox({ keys }: Base): boolean {
  return keys.has('query') && !keys.has('sandbox');
}
