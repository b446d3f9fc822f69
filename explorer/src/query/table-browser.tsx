// The tables that a query may read, with columns and paths; clicking a name inserts it into the query.
import type { Column, Language, Sandbox } from '../service/listing.ts';
import { pathsOf, shortType } from './vocabulary.ts';

interface Props {
  readonly sandbox: Sandbox;
  readonly language: Language;
  readonly onPick: (name: string) => void;
}

export function TableBrowser({ sandbox, language, onPick }: Props) {
  const tables = sandbox.tables ?? [];
  const tableName = (name: string): string => (language === 'lql' ? `f:${name} ` : name);
  return (
    <aside class="tables" aria-label="Tables">
      <h2>Tables</h2>
      {tables.length === 0 && <p class="note">They cannot be read now. Reload the page in a moment.</p>}
      {tables.map(({ name, columns, conditional }) => (
        <details key={name} open={tables.length === 1}>
          <summary>
            <span class="mono">{name}</span>
            {name === sandbox.default_table && <span class="note"> default</span>}
            {conditional === true && <span class="note"> {CONDITIONAL}</span>}
          </summary>
          <button type="button" class="column-name insert" onClick={() => onPick(tableName(name))}>
            insert {language === 'lql' ? <code>f:{name}</code> : 'its name'}
          </button>
          {columns.map((column) => (
            <ColumnItem key={column.name} {...{ column, language, onPick }} />
          ))}
        </details>
      ))}
    </aside>
  );
}

const CONDITIONAL = 'depends on the parameters';

interface ItemProps extends Pick<Props, 'language' | 'onPick'> {
  readonly column: Column;
}

function ColumnItem({ column, language, onPick }: ItemProps) {
  const path = (name: string): string => {
    const whole = name === '' ? column.name : `${column.name}.${name}`;
    return language === 'lql' ? `${whole.replace(/^metadata\./, 'm.')}:` : whole;
  };
  return (
    <>
      <NameButton
        name={column.name}
        type={column.type}
        title={column.conditional === true ? CONDITIONAL : undefined}
        onPick={() => onPick(path(''))}
      />
      {pathsOf(column).map(({ name, type }) => (
        <NameButton key={name} name={`.${name}`} type={type} onPick={() => onPick(path(name))} />
      ))}
    </>
  );
}

function NameButton({
  name,
  type,
  title,
  onPick,
}: {
  readonly name: string;
  readonly type: string;
  readonly title?: string | undefined;
  readonly onPick: () => void;
}) {
  return (
    <button
      type="button"
      class="column-name mono"
      data-path={name.startsWith('.')}
      title={title}
      onClick={onPick}
    >
      <span>{name}</span>{' '}
      <span class="column-type">
        {shortType(type)}
        {title === undefined ? '' : ' *'}
      </span>
    </button>
  );
}
