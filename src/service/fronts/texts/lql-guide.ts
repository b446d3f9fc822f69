// The guide to LQL for agents. `test/service/fronts/mcp/guides.service.test.ts` runs every example.

export const LQL_GUIDE = `# LQL in short

A query is a list of clauses separated by spaces; a row matches if all of them are true. Newest rows come first. The examples
use a table \`logs\` with the columns \`timestamp\`, \`event_message\` and \`metadata\` (JSON): replace the names by those that
describe_tables shows. Everything is case-sensitive. There is no OR and no grouping: \`~"a|b"\` finds one of two words. An error has the line and column in the query.

| clause | matches or returns |
|---|---|
| \`f:logs\` | the table to read; needed if the endpoint has several |
| \`error\` \`"sign up"\` \`-timeout\` | the message contains a string; with a space; does not contain it |
| \`~^debug\` \`~"(?i)out of memory"\` | the message matches a regular expression (RE2) |
| \`metadata.level:error\` \`-m.level:info\` | a path has that value; another value or none (\`m.\` is \`metadata.\`) |
| \`m.response.status_code:>=500\` \`m.response.status_code:200..299\` | compared: \`:>\` \`:>=\` \`:<\` \`:<=\`; in a range |
| \`m.request.path:~^/rest\` | a path matches a regular expression |
| \`m.user:NULL\` \`-m.user:NULL\` | no value; any value |
| \`m.tags:@>popular\` | an array contains an element |
| \`m.zip:"01234"\` | always a string |
| \`t:last@15m\` \`t:last@7d\` \`t:today\` \`t:yesterday\` \`t:this@week\` | times before now; units s m h d w mm y |
| \`t:2024-03-01\` \`t:2024-03-01..2024-03-07\` \`t:>2024-03-01T12:00Z\` | a day, a range of days, after a time (UTC) |
| \`s:timestamp\` \`s:m.request.path@path\` \`s:*\` | the columns to return, with names; default: all |
| \`c:count(*)\` \`c:p95(m.response.origin_time)\` \`c:countd(m.request.path)\` | an aggregate for each time bucket: count countd avg sum min max p50 p95 p99 |
| \`c:group_by(t::hour)\` | the size of the bucket: second minute hour day |

A chart (any \`c:\`) has the columns \`timestamp\` and \`count\`, and needs a column \`timestamp\`. Groups by anything but time, joins and limits need SQL.

## Examples

\`\`\`lql
f:logs error t:last@1h s:timestamp s:event_message
f:logs m.response.status_code:500..599 m.request.method:POST s:timestamp s:m.request.path@path
f:logs -m.level:info t:last@1d c:count(*) c:group_by(t::hour)
f:logs m.request.path:~^/rest c:p95(m.response.origin_time) c:group_by(t::day)
\`\`\`
`;
