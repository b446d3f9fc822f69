// Opens what responses are sent with.
import type { Settings } from '../config/settings.ts';
import { createCompression, type Compression } from '../http/compression.ts';
import { createSlowClients, type SlowClients } from '../http/slow-clients.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { after } from './clock.ts';

/** Compressed responses get this fraction of the cache's memory on top: rows compress to an eighth or less. */
const COMPRESSED_SHARE = 4;

export async function openSending(
  { cacheMemory, sendTimeout: seconds, sendMemory: bytes }: Settings,
  observe: Observe,
): Promise<{ readonly compression: Compression; readonly slowClients: SlowClients }> {
  const slowClients = createSlowClients({ seconds, bytes, after, observe });
  return { compression: await createCompression(cacheMemory / COMPRESSED_SHARE), slowClients };
}
