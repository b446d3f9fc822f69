// What log, metrics and traces cost an answer that is stored.
import { load, MANY, type RowSource } from '../context.ts';
import { atLeast } from '../figures.ts';
import { HIT, keptAnswer } from './kept-answer.ts';

const KINDS = {
  nothing: 'nobody is told',
  metrics: 'metrics',
  log: 'metrics, a line of log each',
  traces: 'metrics, log, a span for one in ten',
};

export const watching: RowSource = {
  name: 'what watching costs an answer that is stored',
  prepare: async (context) => {
    const endpoints = await keptAnswer(context);
    const started = Object.entries(KINDS).map(async ([kind, name]) => {
      const service = context.start('observed.ts', [await context.folder(kind), endpoints, kind]);
      const [address = ''] = await service.says(/^http\S+/);
      return { kind, name, target: { url: `${address}${HIT}`, headers: { 'X-API-KEY': 'bench' } } };
    });
    const contenders = (await Promise.all(started)).map(({ kind, name, target }) => ({
      name,
      measure: () => load(target, MANY, context.seconds),
      ...(kind === 'traces' ? { bar: atLeast(0.9) } : {}),
    }));
    return { contenders };
  },
};
