// SQL of another database system as the query of a new endpoint file.
import type { Parameter } from '../../../service/config/generated/endpoint.ts';
import type { Conversion, ConvertedParameter, ForeignDialect } from '../../../sql/dialects/conversion.ts';
import { createConverter } from '../../convert/convert.ts';
import { convertTemplate } from '../../convert/convert-template.ts';
import { readPlaceholders } from '../../convert/placeholders/read-placeholders.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { createPositions } from '../../../sql/base/position.ts';
import { renderFinding } from '../../kit/caret.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { ConvertedSource } from '../converted-source.ts';
import type { KnownTables } from '../../kit/known-tables.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { liftLiterals, type Lifted } from './lift.ts';

export interface ForeignSql {
  readonly sql: string;
  /** For messages. */
  readonly file: string;
  readonly dialect: ForeignDialect;
  readonly tables: KnownTables | undefined;
}

export interface ConvertedSql {
  readonly lifted: Lifted;
  /** The source, for the file. */
  readonly source: ConvertedSource;
  /** It is true if nothing was left out. */
  readonly isWhole: boolean;
}

/** Converts and reports what was not converted. Rejects with CommandError if there is no query. */
export async function convertSql(source: ForeignSql, terminal: Terminal): Promise<ConvertedSql> {
  const conversion = await convert(source);
  for (const finding of findingsOf(conversion, source))
    for (const line of renderFinding(finding, source.sql, terminal)) terminal.note(line);
  const { sql, parameters, notes } = conversion;
  if (sql === undefined)
    throw new CommandError(`${source.file} was not converted; no endpoint file was written`);
  const isWhole = notes.every(({ severity }) => severity !== 'not_converted');
  return {
    lifted: withParameters(liftLiterals(sql, new Set(parameters.map(({ name }) => name))), parameters),
    source: { dialect: source.dialect, sql: source.sql },
    isWhole,
  };
}

async function convert({ sql, dialect, tables }: ForeignSql): Promise<Conversion> {
  const converter = createConverter();
  try {
    return await convertTemplate(converter, readPlaceholders(sql, { dialect }), { dialect, ...tables });
  } finally {
    await converter.close();
  }
}

/** The notes at their places; what was left out is an error. */
function findingsOf({ notes }: Conversion, { sql, file }: ForeignSql): readonly Finding[] {
  const positions = createPositions(sql);
  return notes.map(({ severity, code, start, message, hint }) => ({
    file,
    ...positions(start),
    severity: severity === 'not_converted' ? ('error' as const) : ('warning' as const),
    code: `convert.${code}`,
    message,
    ...(hint === undefined ? {} : { hint }),
  }));
}

/** The parameters of placeholders beside those of literals. */
function withParameters(lifted: Lifted, converted: readonly ConvertedParameter[]): Lifted {
  const own = Object.fromEntries(converted.map((each) => [each.name, parameterOf(each)]));
  const examples = converted.flatMap(({ name, example }) =>
    example === undefined ? [] : [[name, example] as const],
  );
  return {
    query: lifted.query,
    parameters: { ...own, ...lifted.parameters },
    example: { ...Object.fromEntries(examples), ...lifted.example },
  };
}

function parameterOf({
  type,
  required,
  default: value,
  enum: values,
  choices,
  description,
}: ConvertedParameter): Parameter {
  return {
    ...(choices === undefined ? { type } : { choices }),
    ...(description === undefined ? {} : { description }),
    ...(required ? { required } : {}),
    ...(value === undefined ? {} : { default: typeof value === 'object' ? [...value] : value }),
    ...(values === undefined ? {} : { enum: [...values] }),
  };
}
