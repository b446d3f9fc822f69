// Measures the structure of `src` by fixed definitions, and compares it with the figures in structure.json: `tsx tools/scripts/structure.ts`.
// Structural figures must not rise; one that has fallen is written with `--write`. Files and lines are printed, and may rise with what the product does.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { WIRING } from './wiring.ts';

const ROOT = join(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'src');
const RECORD = join(import.meta.dirname, 'structure.json');

interface SourceFile {
  readonly name: string;
  readonly text: string;
  /** Paths below `src` of the files that it imports, types included. */
  readonly imports: readonly string[];
  /** Number of modules that it imports, libraries included. */
  readonly modules: number;
}

function readFiles(): readonly SourceFile[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('generated/'))
    .map((name) => {
      const text = readFileSync(join(SOURCE, name), 'utf8');
      const targets = Array.from(
        text.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'/gm),
        ([, to]) => to ?? '',
      );
      const modules = new Set(targets);
      const own = [...modules].filter((each) => each.startsWith('.'));
      const imports = own.map((each) => relative(SOURCE, join(SOURCE, dirname(name), each)));
      return { name, text, imports, modules: modules.size };
    });
}

/** The folder whose files may read tokens: the syntax tree. */
const TREE = 'sql/clickhouse/tree/';
const LEXERS: ReadonlySet<string> = new Set([
  'sql/clickhouse/lexer.ts',
  'sql/clickhouse/cursor.ts',
  'sql/clickhouse/token-reader.ts',
]);
const INDEXES = /\btokens\[|\b(?:cursor|scan|query|clause)\.(?:kind|word|tokens)\b/;
/** They read other languages, by a lexer of their own. */
const FOREIGN = /^(?:sql\/dialects|cli\/convert)\//;

/** A file outside of the tree that imports the lexer, or a reader of its tokens, or indexes a list of tokens. */
function isTokenReader({ name, text, imports }: SourceFile): boolean {
  if (name.startsWith(TREE) || LEXERS.has(name) || FOREIGN.test(name)) return false;
  return imports.some((each) => LEXERS.has(each)) || INDEXES.test(text);
}

const CLAUSES =
  /\b(?:SELECT|FROM|WITH|WHERE|PREWHERE|GROUP|HAVING|WINDOW|QUALIFY|ORDER|LIMIT|OFFSET|FETCH|UNION|INTERSECT|EXCEPT|JOIN|SETTINGS)\b/g;
/** A list of strings, a string over several lines, a string, or a regular expression. */
const LITERAL = /\[\s*(?:'[^'\n]*',?\s*)+\]|`[^`]*`|'(?:[^'\\\n]|\\.)*'|\/(?:[^/\\\n]|\\.)+\/[gimsuy]*/g;

/** Literals in upper case that name at least three keywords of clauses. */
function keywordSets({ text }: SourceFile): number {
  const literals = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '').match(LITERAL) ?? [];
  return literals.filter((literal) => {
    const words = new Set(literal.match(CLAUSES));
    return words.size >= 3 && !/[a-z]{3}/.test(literal);
  }).length;
}

/** The groups of files that import each other, directly or through others. */
function circles(files: readonly SourceFile[]): number {
  const byName = new Map(files.map((file) => [file.name, file]));
  const reached = new Map(files.map(({ name }) => [name, reachableFrom(name, byName)]));
  const inCircle = files.filter(({ name }) => reached.get(name)?.has(name) === true);
  const groups = inCircle.map(({ name }) => {
    const group = inCircle.filter(
      (other) => reached.get(name)?.has(other.name) === true && reached.get(other.name)?.has(name) === true,
    );
    return group.map((other) => other.name).join(' ');
  });
  return new Set(groups).size;
}

function reachableFrom(name: string, byName: ReadonlyMap<string, SourceFile>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...(byName.get(name)?.imports ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(byName.get(next)?.imports ?? []));
  }
  return reached;
}

/** Names that at least five declarations of types have. */
function repeatedTypes(files: readonly SourceFile[]): number {
  const counts = new Map<string, number>();
  for (const { text } of files)
    for (const [, name = ''] of text.matchAll(/^(?:export )?(?:interface|type) (\w+)/gm))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts.values()].filter((count) => count >= 5).length;
}

const RECORD_OF_FAULT = /^(?:export )?interface (\w+)[^{;]*\{(.*?)^\}/gms;

/**
 * Counts declared records that have a message and a location in a text or a document; records made from another one are aliases of types.
 */
function faultRecords({ text }: SourceFile): number {
  const bodies = Array.from(text.matchAll(RECORD_OF_FAULT), ([, , body = '']) => body);
  return bodies.filter(
    (body) =>
      /^  readonly message\??: string/m.test(body) &&
      /^  readonly (?:start|offset|line|at|path)\??:/m.test(body),
  ).length;
}

const MANY_IMPORTS = 15;

/** Finds the files that import many modules, except for those that wire. */
function wideFiles(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.filter(({ name, modules }) => modules >= MANY_IMPORTS && !WIRING.has(name));
}

function measure(): {
  readonly structure: Readonly<Record<string, number>>;
  readonly size: Readonly<Record<string, number>>;
} {
  const files = readFiles();
  const linesOf = (each: readonly SourceFile[]): number =>
    each.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
  const ofQueries = files.filter(({ name }) =>
    /^(?:guard\/sandbox|sql\/(?:clickhouse|types|definition))\//.test(name),
  );
  return {
    structure: {
      'token readers': files.filter(isTokenReader).length,
      'keyword sets': files.reduce((sum, file) => sum + keywordSets(file), 0),
      'files with 15 imports or more': wideFiles(files).length,
      'files that wire': WIRING.size,
      'records of a located fault': files.reduce((sum, file) => sum + faultRecords(file), 0),
      'circles of files': circles(files),
      'type names declared 5 times or more': repeatedTypes(files),
    },
    size: { files: files.length, lines: linesOf(files), 'lines of sandbox and sql': linesOf(ofQueries) },
  };
}

function main(): void {
  const { structure, size } = measure();
  const record = JSON.parse(readFileSync(RECORD, 'utf8')) as Record<string, number>; // written below
  const risen: string[] = [];
  for (const [name, value] of [...Object.entries(structure), ...Object.entries(size)]) {
    const known = record[name];
    console.log(`${name}: ${value}${known === undefined || known === value ? '' : ` (recorded: ${known})`}`);
    if (name in structure && known !== undefined && value > known) risen.push(name);
  }
  if (process.argv.includes('--write'))
    writeFileSync(RECORD, `${JSON.stringify({ ...structure, ...size }, null, 2)}\n`);
  else if (risen.length > 0) {
    console.error(`Risen: ${risen.join(', ')}`);
    process.exitCode = 1;
  }
}

main();
