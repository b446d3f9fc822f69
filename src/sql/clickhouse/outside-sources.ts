// What SQL can reach outside of the data folder, by the names that the setting engine_sources accepts: one table for the findings
// of endpoint files, schemas and fixtures, and for the grants of the embedded engine.

/** One source; names are written as ClickHouse writes them, and separated by spaces. */
export interface OutsideSource {
  /** The access type of `GRANT READ, WRITE ON …`; undefined: the engine has none, so that no grant is needed. */
  readonly access?: string;
  /** What a reader calls it. */
  readonly title: string;
  /** Functions that return a value. */
  readonly functions?: string;
  readonly tableFunctions?: string;
  /** Engines of tables and of databases. */
  readonly engines?: string;
  /** Sources of dictionaries. */
  readonly dictionaries?: string;
  /** Settings whose value is the path of a file. */
  readonly settings?: string;
}

/** In the order in which they are documented. ClickHouse: https://clickhouse.com/docs/sql-reference/statements/grant#sources */
const TABLE = {
  file: {
    access: 'FILE',
    title: 'files of the machine',
    functions: 'file',
    tableFunctions: 'file fileCluster filesystem icebergLocal icebergLocalCluster deltaLakeLocal paimonLocal',
    engines: 'File FileLog Filesystem IcebergLocal DeltaLakeLocal PaimonLocal EmbeddedRocksDB Backup Disk',
    dictionaries: 'FILE',
    settings: 'format_schema format_template_resultset format_template_row',
  },
  url: {
    access: 'URL',
    title: 'web servers',
    functions: 'aiClassify aiEmbed aiExtract aiGenerate aiTranslate reverseDNSQuery',
    tableFunctions: 'url urlCluster',
    engines: 'URL DataLakeCatalog',
    dictionaries: 'HTTP HTTPS',
  },
  s3: {
    access: 'S3',
    title: 'object storage with the interface of S3',
    tableFunctions:
      's3 s3Cluster oss cosn iceberg icebergCluster icebergS3 icebergS3Cluster deltaLake deltaLakeCluster deltaLakeS3 deltaLakeS3Cluster hudi hudiCluster paimon paimonCluster paimonS3 paimonS3Cluster',
    engines: 'S3 S3Queue OSS COSN Iceberg IcebergS3 DeltaLake DeltaLakeS3 Hudi Paimon PaimonS3',
  },
  gcs: { access: 'S3', title: 'Google Cloud Storage', tableFunctions: 'gcs', engines: 'GCS' },
  azure: {
    access: 'AZURE',
    title: 'Azure Blob Storage',
    tableFunctions:
      'azureBlobStorage azureBlobStorageCluster icebergAzure icebergAzureCluster deltaLakeAzure deltaLakeAzureCluster paimonAzure paimonAzureCluster',
    engines: 'AzureBlobStorage AzureQueue IcebergAzure DeltaLakeAzure PaimonAzure',
  },
  hdfs: {
    access: 'HDFS',
    title: 'HDFS',
    tableFunctions: 'hdfs hdfsCluster icebergHDFS icebergHDFSCluster paimonHDFS paimonHDFSCluster',
    engines: 'HDFS IcebergHDFS PaimonHDFS',
  },
  remote: {
    access: 'REMOTE',
    title: 'other servers of ClickHouse',
    tableFunctions: 'remote remoteSecure cluster clusterAllReplicas',
    engines: 'Remote RemoteSecure Distributed',
    dictionaries: 'CASSANDRA',
  },
  mysql: {
    access: 'MYSQL',
    title: 'MySQL',
    tableFunctions: 'mysql',
    engines: 'MySQL MaterializedMySQL',
    dictionaries: 'MYSQL',
  },
  postgresql: {
    access: 'POSTGRES',
    title: 'PostgreSQL',
    tableFunctions: 'postgresql',
    engines: 'PostgreSQL MaterializedPostgreSQL',
    dictionaries: 'POSTGRESQL',
  },
  mongodb: {
    access: 'MONGO',
    title: 'MongoDB',
    tableFunctions: 'mongodb',
    engines: 'MongoDB',
    dictionaries: 'MONGODB',
  },
  redis: {
    access: 'REDIS',
    title: 'Redis',
    tableFunctions: 'redis',
    engines: 'Redis',
    dictionaries: 'REDIS',
  },
  sqlite: { access: 'SQLITE', title: 'files of SQLite', tableFunctions: 'sqlite', engines: 'SQLite' },
  odbc: {
    access: 'ODBC',
    title: 'ODBC',
    tableFunctions: 'odbc',
    engines: 'ODBC',
    dictionaries: 'ODBC',
  },
  jdbc: {
    access: 'JDBC',
    title: 'JDBC',
    tableFunctions: 'jdbc',
    engines: 'JDBC',
    dictionaries: 'JDBC',
  },
  kafka: { access: 'KAFKA', title: 'Kafka', engines: 'Kafka' },
  nats: { access: 'NATS', title: 'NATS', engines: 'NATS' },
  rabbitmq: { access: 'RABBITMQ', title: 'RabbitMQ', engines: 'RabbitMQ' },
  hive: { access: 'HIVE', title: 'Hive', tableFunctions: 'hive', engines: 'Hive' },
  arrowflight: {
    access: 'ARROW_FLIGHT',
    title: 'Arrow Flight',
    tableFunctions: 'arrowFlight',
    engines: 'ArrowFlight',
  },
  ytsaurus: {
    access: 'YTSAURUS',
    title: 'YTsaurus',
    tableFunctions: 'ytsaurus',
    engines: 'YTsaurus',
    dictionaries: 'YTSAURUS',
  },
  executable: {
    title: 'programs of the machine',
    functions: 'catboostEvaluate',
    tableFunctions: 'executable',
    engines: 'Executable ExecutablePool',
    dictionaries: 'EXECUTABLE EXECUTABLE_POOL',
  },
} as const satisfies Readonly<Record<string, OutsideSource>>;

export type OutsideSourceName = keyof typeof TABLE;

export const OUTSIDE_SOURCES: Readonly<Record<OutsideSourceName, OutsideSource>> = TABLE;

export const OUTSIDE_SOURCE_NAMES: readonly OutsideSourceName[] = Object.keys(TABLE) as OutsideSourceName[]; // the keys of our own table

/** Names of the sources that may be reached; `any`: the server that runs the query decides. */
export type EngineSources = readonly string[] | 'any';

/** The access types that the embedded engine grants for these sources, each once, in the order of the table. */
export function accessTypes(names: readonly string[]): readonly string[] {
  const granted = OUTSIDE_SOURCE_NAMES.filter((name) => names.includes(name));
  return [...new Set(granted.flatMap((name) => OUTSIDE_SOURCES[name].access ?? []))];
}

/** Sources that the machine itself has. */
const LOCAL: ReadonlySet<string> = new Set(['file', 'sqlite', 'executable']);

/** Returns whether one of these sources is reached over the network. */
export function needsNetwork(names: readonly string[]): boolean {
  return names.some((name) => !LOCAL.has(name));
}
