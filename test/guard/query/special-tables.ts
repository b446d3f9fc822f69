// Tables whose types, engines or views make a comparison with the tenant mean something else than it says.

export const SPECIAL_TABLES = `
CREATE TABLE {db}.nums (tenant_id UInt64, x String) ENGINE = MergeTree ORDER BY tenant_id;
CREATE TABLE {db}.kinds (tenant Enum8('a' = 1, 'b' = 2), id UInt64, x String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE {db}.owners (tenant Enum8('a' = 1, 'b' = 2), id UInt64, email String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE {db}.latest (tenant String, id UInt64, x String, version UInt8) ENGINE = ReplacingMergeTree(version) ORDER BY id;
CREATE TABLE {db}.latest_by_tenant (tenant String, id UInt64, x String, version UInt8) ENGINE = ReplacingMergeTree(version) ORDER BY (tenant, id);
CREATE TABLE {db}.sampled (tenant String, id UInt64) ENGINE = MergeTree ORDER BY intHash32(id) SAMPLE BY intHash32(id);
CREATE TABLE {db}.nulls (tenant Nullable(String), x String) ENGINE = MergeTree ORDER BY x;
CREATE TABLE {db}.documents (tenant String, body String) ENGINE = MergeTree ORDER BY tenant;
CREATE TABLE {db}.uuids (tenant String, x String) ENGINE = MergeTree ORDER BY tenant;
CREATE TABLE {db}.fixed (tenant FixedString(3), x String) ENGINE = MergeTree ORDER BY tenant;
CREATE TABLE {db}.padded (tenant String, x String) ENGINE = MergeTree ORDER BY tenant;
CREATE TABLE {db}.low (tenant String, c LowCardinality(String)) ENGINE = MergeTree ORDER BY tenant;
CREATE TABLE {db}.aliased (t String, tenant String ALIAS t, x String) ENGINE = MergeTree ORDER BY x;
CREATE TABLE {db}.org_table (id UInt64, parent UInt64) ENGINE = MergeTree ORDER BY id;
CREATE DICTIONARY {db}.orgs (id UInt64, parent UInt64 HIERARCHICAL) PRIMARY KEY id SOURCE(CLICKHOUSE(DB '{db}' TABLE 'org_table')) LAYOUT(HASHED()) LIFETIME(0);
CREATE TABLE {db}.network_table (prefix String, owner String) ENGINE = MergeTree ORDER BY prefix;
CREATE DICTIONARY {db}.networks (prefix String, owner String) PRIMARY KEY prefix SOURCE(CLICKHOUSE(DB '{db}' TABLE 'network_table')) LAYOUT(IP_TRIE()) LIFETIME(0);
CREATE VIEW {db}.narrow (tenant_id UInt8, x String) AS SELECT tenant_id, x FROM {db}.nums;
CREATE VIEW {db}.constants AS SELECT 'a' AS tenant, email FROM {db}.users;
CREATE VIEW {db}.\`we, ird\` AS SELECT 'a' AS tenant, email FROM {db}.users;
`;

export const SPECIAL_ROWS = {
  a: `
INSERT INTO {db}.nums VALUES (257, 'mine'), (5, 'five');
INSERT INTO {db}.kinds VALUES ('a', 1, 'ax'), ('a', 2, 'ay');
INSERT INTO {db}.owners VALUES ('a', 1, 'ann');
INSERT INTO {db}.latest VALUES ('a', 1, 'mine', 1), ('a', 2, 'other', 1);
INSERT INTO {db}.latest_by_tenant VALUES ('a', 1, 'mine', 1), ('a', 1, 'newer', 2);
INSERT INTO {db}.sampled SELECT 'a', number * 1000003 FROM numbers(6);
INSERT INTO {db}.nulls VALUES ('a', 'mine');
INSERT INTO {db}.documents VALUES ('a', '{"x":{"tenant":"b"},"tenant":"a"}');
INSERT INTO {db}.uuids VALUES ('61f0c404-5cb3-11e7-907b-a6006ad3dba0', 'mine');
INSERT INTO {db}.fixed VALUES ('a', 'mine');
INSERT INTO {db}.padded VALUES ('a', 'mine');
INSERT INTO {db}.low VALUES ('a', 'x'), ('a', 'y');
INSERT INTO {db}.aliased VALUES ('a', 'mine');
INSERT INTO {db}.org_table VALUES (257, 1);
`,
  b: `
INSERT INTO {db}.nums VALUES (1, 'theirs'), (261, 'their five');
INSERT INTO {db}.kinds VALUES ('b', 3, 'bx');
INSERT INTO {db}.owners VALUES ('b', 2, 'bea');
INSERT INTO {db}.latest VALUES ('b', 1, 'theirs', 2);
INSERT INTO {db}.latest_by_tenant VALUES ('b', 1, 'theirs', 3);
INSERT INTO {db}.sampled SELECT 'b', number FROM numbers(40000);
INSERT INTO {db}.nulls VALUES (NULL, 'nulls'), ('b', 'theirs');
INSERT INTO {db}.documents VALUES ('b', '{"x":{"tenant":"a"},"tenant":"b"}');
INSERT INTO {db}.uuids VALUES ('61F0C404-5CB3-11E7-907B-A6006AD3DBA0', 'theirs');
INSERT INTO {db}.fixed VALUES ('b', 'theirs');
INSERT INTO {db}.padded VALUES ('a\\0\\0', 'theirs');
INSERT INTO {db}.low VALUES ('b', 'x'), ('b', 'z');
INSERT INTO {db}.aliased VALUES ('b', 'theirs');
INSERT INTO {db}.org_table VALUES (1, 7);
INSERT INTO {db}.network_table VALUES ('10.0.0.0/8', 'b');
`,
  c: `
INSERT INTO {db}.nums VALUES (1, 'changed');
INSERT INTO {db}.latest VALUES ('b', 2, 'changed', 2);
INSERT INTO {db}.org_table VALUES (1, 8);
`,
};
