// The front as a process of its own: `tsx front-main.ts DATA PORT`. Says where it listens, in one line.
import { openClickHouseFront } from './clickhouse-front.ts';

const [, , path = '', port = '0'] = process.argv;
const front = await openClickHouseFront({
  path,
  port: Number(port),
  users: { millrace: { password: 'secret', profile: [] } },
});
process.stdout.write(`${front.url}\n`);
