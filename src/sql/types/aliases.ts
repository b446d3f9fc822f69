// ClickHouse's other names of types, mostly those of other databases. `test/service/params/params.engine.test.ts` compares them with the engine.

/** By type: its names in other databases, which ClickHouse reads without their case. */
const NAMES: Readonly<Record<string, string>> = {
  String:
    'BINARY LARGE OBJECT,BINARY VARYING,BLOB,BYTEA,CHAR LARGE OBJECT,CHAR VARYING,CHAR,CHARACTER LARGE OBJECT,CHARACTER VARYING,CHARACTER,CLOB,LONGBLOB,LONGTEXT,MEDIUMBLOB,MEDIUMTEXT,NATIONAL CHAR VARYING,NATIONAL CHAR,NATIONAL CHARACTER LARGE OBJECT,NATIONAL CHARACTER VARYING,NATIONAL CHARACTER,NCHAR LARGE OBJECT,NCHAR VARYING,NCHAR,NVARCHAR,TEXT,TINYBLOB,TINYTEXT,VARBINARY,VARCHAR,VARCHAR2',
  FixedString: 'BINARY',
  Bool: 'BOOL,BOOLEAN',
  Int8: 'BYTE,INT1,INT1 SIGNED,TINYINT,TINYINT SIGNED',
  Int16: 'SMALLINT,SMALLINT SIGNED',
  Int32: 'INT,INT SIGNED,INTEGER,INTEGER SIGNED,MEDIUMINT,MEDIUMINT SIGNED',
  Int64: 'BIGINT,BIGINT SIGNED,SIGNED',
  UInt8: 'INT1 UNSIGNED,TINYINT UNSIGNED',
  UInt16: 'SMALLINT UNSIGNED,YEAR',
  UInt32: 'INT UNSIGNED,INTEGER UNSIGNED,MEDIUMINT UNSIGNED',
  UInt64: 'BIGINT UNSIGNED,BIT,SET,UNSIGNED',
  Float32: 'FLOAT,REAL,SINGLE',
  Float64: 'DOUBLE,DOUBLE PRECISION',
  Decimal: 'DEC,DECIMAL,FIXED,NUMERIC',
  Decimal32: 'DECIMAL32',
  Decimal64: 'DECIMAL64',
  Decimal128: 'DECIMAL128',
  Decimal256: 'DECIMAL256',
  Date: 'DATE',
  Date32: 'DATE32',
  DateTime: 'DATETIME,TIMESTAMP',
  DateTime64: 'DATETIME64',
  IPv4: 'INET4',
  IPv6: 'INET6',
  Enum: 'ENUM',
};

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([type, names]) => names.split(',').map((name) => [name, type] as const)),
);
/** Words of the longest name. */
export const MAX_WORDS = 4;

/** Types whose arguments mean the same under another name; ClickHouse ignores those of the others, such as the length of VARCHAR(255). */
const WITH_ARGUMENTS = /^(?:FixedString|Decimal\d*|DateTime(?:64)?|Enum)$/;

/** Returns whether the arguments of another name of the type are those of the type. */
export function keepsArguments(type: string): boolean {
  return WITH_ARGUMENTS.test(type);
}

/** The type that ClickHouse reads another name as; undefined if it has no such name. */
export function typeOfAlias(name: string): string | undefined {
  return TYPES.get(name.toUpperCase());
}
