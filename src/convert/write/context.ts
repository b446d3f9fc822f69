// The context of a query, as the rules of this module import it.
export type { Context } from '../../dialects/write/context.ts';
