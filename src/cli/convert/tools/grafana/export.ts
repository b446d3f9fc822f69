// Grafana: dashboards as JSON, with panels, rows, library panels and variables.
// Source: https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
import type { Declaration } from '../../placeholders/template.ts';
import {
  dialectOfEngine,
  entriesOf,
  listOf,
  member,
  textOf,
  type ExportDocument,
  type DocumentPath,
} from '../../export/document.ts';
import type { ForeignQuery, OtherItem, ToolReader } from '../../export/foreign-query.ts';
import { DATE_TIME_TYPE } from './altinity.ts';
import { WINDOW_MACROS } from './altinity-statements.ts';
import { isOfLibrary, shownPath, withLibraryPanel } from './library-panels.ts';

interface Panel {
  readonly path: DocumentPath;
  /** Of its title. */
  readonly shown: DocumentPath;
  readonly value: unknown;
  /** The variables that it, or its row, is repeated for: in each, they have one value. */
  readonly repeats: readonly string[];
  /** What is inside it is not read. */
  readonly isTooDeep?: true;
}

/** Variables of Grafana's own. Their names begin with two underscores; with one declared, all others are known, too. */
const DASHBOARD: Declaration = { name: '__dashboard', reason: 'The dashboard is not a value of the query' };

/** The variable as a panel that is repeated for it has it. */
function ofPanel(declaration: Declaration, repeats: readonly string[]): Declaration {
  if (!repeats.includes(declaration.name)) return declaration;
  const { isList: _, isAllAllowed: __, example, ...rest } = declaration;
  const [first] = Array.isArray(example) ? (example as readonly (string | number)[]) : [];
  return { ...rest, ...(first === undefined ? {} : { example: first }), required: true };
}

/** The dashboard in the document, which the API wraps. */
function dashboardPath({ value }: ExportDocument): DocumentPath | undefined {
  const candidates: readonly DocumentPath[] = [[], ['dashboard'], ['spec']];
  return candidates.find((path) => {
    const at = path.reduce<unknown>((inner, key) => member(inner, key), value);
    return Array.isArray(member(at, 'panels')) || Array.isArray(member(at, 'rows')) || isVersion2(at);
  });
}

/** The model of newer versions: panels by name in `elements`. */
function isVersion2(value: unknown): boolean {
  return entriesOf(member(value, 'elements')).some(([, element]) => member(element, 'kind') === 'Panel');
}

function isGrafana(document: ExportDocument): boolean {
  return dashboardPath(document) !== undefined;
}

export const GRAFANA: ToolReader = {
  isOwn: ({ documents }) => documents.some(isGrafana),
  read: ({ documents }) => {
    const found = documents.flatMap(readDashboard);
    return {
      queries: found.filter((each): each is ForeignQuery => 'sql' in each),
      others: found.filter((each): each is OtherItem => !('sql' in each)),
    };
  },
};

type DashboardItem = ForeignQuery | OtherItem;

/** All targets of panels, panels without one, and the queries of variables and annotations. */
function readDashboard(document: ExportDocument): readonly DashboardItem[] {
  const path = dashboardPath(document);
  if (path === undefined) return [];
  const dashboard = path.reduce<unknown>((inner, key) => member(inner, key), document.value);
  const context: Dashboard = {
    document,
    title: textOf(dashboard, 'title') ?? 'dashboard',
    inputs: inputsOf(dashboard),
    variables: variablesOf(dashboard),
  };
  const ofPanels = panelsOf(dashboard, path).flatMap((placed): readonly DashboardItem[] => {
    const panel = withLibraryPanel(placed, dashboard, path);
    if (panel.isTooDeep) return [tooDeep(panel, document)];
    const targets = targetsOf(panel);
    if (targets.length === 0) return withoutTarget(panel, document);
    return targets.map((target, index) =>
      queryOf(context, panel, {
        ...target,
        suffix: targets.length > 1 ? letterOf(target, index) : undefined,
      }),
    );
  });
  return [...ofPanels, ...namedQueries(dashboard, path, context)];
}

/** What all targets of a dashboard have in common. */
interface Dashboard {
  readonly document: ExportDocument;
  readonly title: string;
  readonly inputs: ReadonlyMap<string, string>;
  readonly variables: readonly Declaration[];
}

function withoutTarget({ shown, value }: Panel, document: ExportDocument): readonly OtherItem[] {
  if (textOf(value, 'type') === 'row' || listOf(value, 'panels').length > 0) return []; // a heading of other panels
  return [
    {
      tool: 'grafana',
      kind: 'panel',
      title:
        textOf(value, 'title') ??
        textOf(member(value, 'libraryPanel'), 'name') ??
        textOf(value, 'type') ??
        'panel',
      file: document.file,
      place: document.locate(shown, 0),
      ...(isOfLibrary(value)
        ? { reason: 'The library panel is not in the export: export the dashboard for sharing' }
        : { reason: 'The panel has no query', isEmpty: true }),
    },
  ];
}

/** The SQL of variables whose values are those of a query, and of annotations. */
function namedQueries(dashboard: unknown, path: DocumentPath, context: Dashboard): readonly DashboardItem[] {
  const found = (
    kind: string,
    list: DocumentPath,
    key: string,
    isQuery: (item: unknown) => boolean,
  ): readonly DashboardItem[] =>
    listOf(
      list.reduce<unknown>((inner, each) => member(inner, each), dashboard),
      'list',
    ).flatMap((item, index) => {
      const [name, inner] = [textOf(item, 'name'), member(item, key)];
      if (name === undefined || !isQuery(item)) return [];
      const at = [...path, ...list, 'list', index];
      const isText = typeof inner === 'string';
      const target = {
        path: isText ? at : [...at, key],
        value: isText ? item : inner,
        datasource: member(item, 'datasource'),
        suffix: undefined,
      };
      const panel = { path: at, shown: [...at, 'name'], value: { title: name }, repeats: [] };
      return [{ ...queryOf(context, panel, target), kind }];
    });
  return [
    ...found('variable', ['templating'], 'query', (item) => textOf(item, 'type') === 'query'),
    ...found('annotation', ['annotations'], 'target', (item) => member(item, 'builtIn') !== 1),
  ];
}

/** Grafana has two levels; a file that goes on is not followed to its end. */
const MAX_DEPTH = 100;

function tooDeep({ shown, value }: Panel, { file, locate }: ExportDocument): OtherItem {
  const title = textOf(value, 'title') ?? 'row';
  const reason = `Panels that are nested deeper than ${MAX_DEPTH} levels are not read: move them up`;
  return { tool: 'grafana', kind: 'row', title, file, place: locate(shown, 0), reason };
}

/** Panels, those in rows, and those of old versions' rows. */
function panelsOf(value: unknown, path: DocumentPath, outer: readonly string[] = []): readonly Panel[] {
  if (path.length > 2 * MAX_DEPTH && ['panels', 'rows'].some((key) => listOf(value, key).length > 0))
    return [{ path, shown: [...path, 'title'], value, repeats: [], isTooDeep: true }];
  const nested = ['panels', 'rows'].flatMap((key) => {
    let row: readonly string[] = []; // of the row before, whose panels are not inside it if it is open
    return listOf(value, key).flatMap((panel, index): readonly Panel[] => {
      const own = repeatsOf(panel);
      if (textOf(panel, 'type') === 'row') row = own;
      const repeats = [...outer, ...row, ...own];
      const at = [...path, key, index];
      const isPanel = key === 'panels' && typeof panel === 'object';
      return [
        ...(isPanel ? [{ path: at, shown: shownPath(panel, at), value: panel, repeats }] : []),
        ...panelsOf(panel, at, repeats),
      ];
    });
  });
  const elements = entriesOf(member(value, 'elements')).flatMap(([name, element]): readonly Panel[] => [
    {
      path: [...path, 'elements', name, 'spec'],
      shown: [...path, 'elements', name, 'spec', 'title'],
      value: member(element, 'spec'),
      repeats: [],
    },
  ]);
  return [...nested, ...elements];
}

function repeatsOf(panel: unknown): readonly string[] {
  const name = textOf(panel, 'repeat');
  return name === undefined ? [] : [name];
}

interface Target {
  readonly path: DocumentPath;
  readonly value: unknown;
  readonly datasource: unknown;
}

function targetsOf({ path, value }: Pick<Panel, 'path' | 'value'>): readonly Target[] {
  const own = listOf(value, 'targets').map((target, index) => ({
    path: [...path, 'targets', index],
    value: target,
    datasource: member(target, 'datasource') ?? member(value, 'datasource'),
  }));
  const second = listOf(member(member(value, 'data'), 'spec'), 'queries').map((query, index) => ({
    path: [...path, 'data', 'spec', 'queries', index, 'spec', 'query', 'spec'],
    value: member(member(member(query, 'spec'), 'query'), 'spec'),
    datasource: member(member(query, 'spec'), 'datasource') ?? {
      type: member(member(member(query, 'spec'), 'query'), 'group'),
    },
  }));
  return [...own, ...second];
}

function letterOf({ value }: Target, index: number): string {
  return textOf(value, 'refId') ?? String(index + 1);
}

const SQL_KEYS = ['rawSql', 'rawSQL', 'queryText', 'sql', 'query', 'rawQuery', 'expr'] as const;

/** Data sources that have a language of their own, and use the same keys. */
const OTHER_LANGUAGES =
  /prometheus|loki|influx|elasticsearch|opensearch|tempo|graphite|cloudwatch|opentsdb|mongo/i;

/** An item without SQL for targets of data sources that have none. */
function queryOf(
  { document, title, inputs, variables }: Dashboard,
  panel: Panel,
  target: Target & { readonly suffix: string | undefined },
): DashboardItem {
  const { suffix } = target;
  const key = SQL_KEYS.find((each) => textOf(target.value, each) !== undefined);
  const sql = key === undefined ? undefined : textOf(target.value, key);
  const engine = engineOf(target.datasource, inputs);
  const panelTitle = textOf(panel.value, 'title') ?? 'panel';
  const description = textOf(panel.value, 'description');
  const shown = suffix === undefined ? panelTitle : `${panelTitle} ${suffix}`;
  const item = {
    tool: 'grafana',
    kind: suffix === undefined ? 'panel' : 'target',
    title: shown,
    file: document.file,
  } as const;
  const isOther = engine !== undefined && OTHER_LANGUAGES.test(engine);
  if (key === undefined || sql === undefined || !isSql(sql) || isOther) {
    const language = isOther ? `the language of ${engine}` : 'another language than SQL';
    return {
      ...item,
      place: document.locate(key === undefined ? panel.shown : [...target.path, key], 0),
      reason: sql === undefined ? 'It has no SQL' : `The query is in ${language}`,
    };
  }
  return {
    ...item,
    segments: [title, shown],
    ...(description === undefined ? {} : { description }),
    sql,
    dialect: dialectOfEngine(engine),
    ...(engine === undefined ? {} : { engine }),
    declarations: [
      ...variables.map((each) => ofPanel(each, panel.repeats)),
      ...altinityVariables(target.value, engine),
      DASHBOARD,
    ],
    locate: (offset) => document.locate([...target.path, key], offset),
  };
}

/** PromQL, LogQL and others use the same keys. */
function isSql(text: string): boolean {
  return (
    /^\s*(?:(?:--[^\n]*\n|\/\*[\s\S]*?\*\/)\s*)*\(*\s*(select|with)\b/i.test(text.slice(0, 5_000)) ||
    /^\s*(?:(?:--[^\n]*\n|\/\*[\s\S]*?\*\/)\s*)*\$\w+\s*\(/.test(text.slice(0, 5_000))
  );
}

/** The type of a data source, by object, by name of an input, or as the name itself. */
function engineOf(datasource: unknown, inputs: ReadonlyMap<string, string>): string | undefined {
  if (typeof datasource === 'string') {
    const input = /^\$\{?(\w+)\}?$/.exec(datasource)?.[1];
    return (input === undefined ? undefined : inputs.get(input)) ?? datasource;
  }
  const type = textOf(datasource, 'type');
  if (type !== undefined) return type;
  const uid = textOf(datasource, 'uid');
  const input = uid === undefined ? undefined : /^\$\{?(\w+)\}?$/.exec(uid)?.[1];
  return input === undefined ? uid : inputs.get(input);
}

/** Data sources that the export asks for, by name, and those of variables. */
function inputsOf(dashboard: unknown): ReadonlyMap<string, string> {
  const inputs = new Map<string, string>();
  for (const input of listOf(dashboard, '__inputs')) {
    const [name, plugin] = [textOf(input, 'name'), textOf(input, 'pluginId')];
    if (name !== undefined && plugin !== undefined) inputs.set(name, plugin);
  }
  for (const variable of listOf(member(dashboard, 'templating'), 'list')) {
    const [name, query] = [textOf(variable, 'name'), textOf(variable, 'query')];
    if (member(variable, 'type') === 'datasource' && name !== undefined && query !== undefined)
      inputs.set(name, query);
  }
  return inputs;
}

function variablesOf(dashboard: unknown): readonly Declaration[] {
  const first = listOf(member(dashboard, 'templating'), 'list').map((value) => ({
    kind: textOf(value, 'type') ?? '',
    value,
  }));
  const second = listOf(dashboard, 'variables').map((variable) => ({
    kind: (textOf(variable, 'kind') ?? '')
      .replace(/Variable$/, '')
      .toLowerCase()
      .replace('text', 'textbox'),
    value: member(variable, 'spec'),
  }));
  return [...first, ...second].slice(0, 200).flatMap(({ kind, value }) => {
    const name = textOf(value, 'name');
    return name === undefined ? [] : [variableOf(name, kind, value)];
  });
}

function variableOf(name: string, kind: string, value: unknown): Declaration {
  const current = member(member(value, 'current'), 'value');
  const description = textOf(value, 'description') ?? textOf(value, 'label');
  const isList = member(value, 'multi') === true || member(value, 'includeAll') === true;
  const base = { name, ...(description === undefined ? {} : { description }) };
  if (kind === 'datasource' || kind === 'adhoc')
    return { ...base, reason: `A variable of the type ${kind} is not a value` };
  if (kind === 'constant')
    return { ...base, text: textOf(value, 'query') ?? String(scalarOf(current) ?? '') };
  const choices = kind === 'custom' ? choicesOf(value) : [];
  const shown = Array.isArray(current) ? current.map(scalarOf) : [scalarOf(current)];
  const values = shown.filter(
    (each): each is string | number => each !== undefined && each !== '$__all' && each !== 'All',
  );
  const [first] = values;
  const all = member(value, 'includeAll') === true ? textOf(value, 'allValue') : undefined;
  // The value of All is a text that is inserted as any other.
  if (all !== undefined && member(value, 'multi') !== true) return { ...base, default: all };
  if (isList)
    return {
      ...base,
      isList,
      ...(member(value, 'includeAll') === true && all === undefined ? { isAllAllowed: true } : {}),
      ...(choices.length === 0 ? {} : { enum: choices }),
      ...(values.length === 0 ? {} : { example: values }),
    };
  const isKept = kind === 'textbox' || kind === 'custom' || kind === 'interval';
  return {
    ...base,
    ...(choices.length === 0 ? {} : { enum: choices }),
    ...(kind === 'textbox' ? { saved: String(first ?? '') } : {}),
    ...(first === undefined || first === '' ? {} : isKept ? { default: first } : { example: first }),
  };
}

function scalarOf(value: unknown): string | number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** `a,b` or `Label : a, Other : b`. */
function choicesOf(value: unknown): readonly string[] {
  const options = listOf(value, 'options').flatMap((option) => {
    const found = scalarOf(member(option, 'value'));
    return found === undefined || found === '$__all' ? [] : [String(found)];
  });
  if (options.length > 0) return options;
  return (textOf(value, 'query') ?? '')
    .split(',')
    .map((each) => each.replace(/^.* : /s, '').trim())
    .filter((each) => each !== '');
}

/** The table and columns that Altinity's plugin keeps beside the query. */
function altinityVariables(target: unknown, engine: string | undefined): readonly Declaration[] {
  const isAltinity = engine !== undefined && /vertamedia|altinity/i.test(engine);
  const table = textOf(target, 'table');
  if (!isAltinity && (table === undefined || textOf(target, 'dateTimeColDataType') === undefined)) return [];
  const database = textOf(target, 'database');
  const [time, date] = [textOf(target, 'dateTimeColDataType'), textOf(target, 'dateColDataType')];
  const isOwn = database === undefined || database === 'default' || database.includes('$');
  return [
    { name: DATE_TIME_TYPE, text: textOf(target, DATE_TIME_TYPE) ?? 'DATETIME' },
    ...(member(target, WINDOW_MACROS) === true ? [{ name: WINDOW_MACROS, text: 'true' }] : []),
    ...(table === undefined ? [] : [{ name: 'table', text: isOwn ? table : `${database}.${table}` }]),
    ...(time === undefined ? [] : [{ name: 'dateTimeCol', text: time }]),
    ...(date === undefined ? [] : [{ name: 'dateCol', text: date }]),
  ];
}
