// `/api/endpoints/query/{name}/exports`: asks for exports, and has their state and their files, for the key that asked.
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify';
import type { Exports } from '../../exports/exports.ts';
import type { ExportIdentity } from '../../exports/identity.ts';
import { exportDocument, exportPath } from '../../exports/record.ts';
import { keyOf } from '../../http/call-fields.ts';
import type { CallRecord } from '../../request/call.ts';
import { createReceiveExport, type ExportRequest } from './receive.ts';
import { sendDocument, sendResult } from './reply.ts';

export interface ExportRoutesOptions {
  readonly exports: Exports;
  /** Identifies a key that may call an endpoint; counts as a check against its rate limit. Throws Problem. */
  readonly identify: (
    key: string | undefined,
    endpoint: string,
    record: CallRecord,
  ) => Promise<ExportIdentity>;
  readonly headerPrefix: string;
  /** Cuts off a client that reads nothing for a while. */
  readonly cutOffIdle: (response: ServerResponse) => void;
}

type RejectOthers = (app: FastifyInstance, url: string, taken: readonly HTTPMethods[]) => void;

const LIST_URL = '/api/endpoints/query/:endpoint/exports';
const EXPORT_URL = `${LIST_URL}/:id`;
const RESULT_URL = `${EXPORT_URL}/result`;

type Params = { Params: { endpoint: string; id: string } };

export function addExportRoutes(
  app: FastifyInstance,
  options: ExportRoutesOptions,
  rejectOthers: RejectOthers,
): void {
  const { exports, identify, cutOffIdle } = options;
  const receive = createReceiveExport(options.headerPrefix);
  const own = (
    { params, ...request }: Pick<ExportRequest, 'params'> & { key: string | undefined },
    reply: FastifyReply,
  ) => identify(request.key, params.endpoint, reply.record);

  app.post<Params>(LIST_URL, async (request, reply) => {
    const record = await exports.create(receive(request, reply));
    reply.code(202).header('Location', exportPath(record));
    return sendDocument(reply, exportDocument(record));
  });
  app.get<Params>(LIST_URL, async (request, reply) => {
    const identity = await own({ params: request.params, key: keyOf(request) }, reply);
    return sendDocument(reply, { result: exports.list(identity).map(exportDocument) });
  });
  rejectOthers(app, LIST_URL, ['GET', 'POST']);

  app.get<Params>(EXPORT_URL, async (request, reply) => {
    const identity = await own({ params: request.params, key: keyOf(request) }, reply);
    return sendDocument(reply, exportDocument(exports.find(identity, request.params.id)));
  });
  app.delete<Params>(EXPORT_URL, async (request, reply) => {
    const identity = await own({ params: request.params, key: keyOf(request) }, reply);
    await exports.cancel(identity, request.params.id);
    return reply.code(204).send();
  });
  rejectOthers(app, EXPORT_URL, ['GET', 'DELETE']);

  app.get<Params>(RESULT_URL, async (request, reply) => {
    const identity = await own({ params: request.params, key: keyOf(request) }, reply);
    return sendResult(reply, await exports.open(identity, request.params.id), cutOffIdle);
  });
  rejectOthers(app, RESULT_URL, ['GET']);
}
