// The table of changes: each kind recognises places in a query, and what may be written there.
import type { ChangeKind } from './change.ts';
import { AGGREGATES } from './kinds/aggregates.ts';
import { CONDITIONALS, LISTS } from './kinds/conditionals.ts';
import { DOCUMENT_PATHS, DOCUMENTS } from './kinds/documents.ts';
import { INDEXES } from './kinds/indexes.ts';
import { EXISTS, JOIN_KEYS } from './kinds/joins.ts';
import { KEY_TEXTS } from './kinds/key-texts.ts';
import { KEY_TIMES } from './kinds/key-times.ts';
import { ORDERS } from './kinds/orders.ts';
import { ROLLUPS } from './kinds/rollups.ts';
import { TUPLES } from './kinds/tuples.ts';

export const CHANGE_KINDS: readonly ChangeKind[] = [
  KEY_TEXTS,
  KEY_TIMES,
  CONDITIONALS,
  LISTS,
  TUPLES,
  JOIN_KEYS,
  EXISTS,
  ORDERS,
  AGGREGATES,
  DOCUMENTS,
  DOCUMENT_PATHS,
  INDEXES,
  ROLLUPS,
];
