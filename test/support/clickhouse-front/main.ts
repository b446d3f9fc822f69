// The front as a separate process: `tsx front-main.ts DATA PORT`. Prints its address in one line.
import { openClickHouseFront } from './front.ts';

const [, , path = '', port = '0'] = process.argv;
const front = await openClickHouseFront({
  path,
  port: Number(port),
  users: { millrace: { password: 'secret', profile: [] } },
});
process.stdout.write(`${front.url}\n`);
