// A visitor for one test.
import type { BrowserContextOptions } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { Explorer, Visitor } from '../support/browser.ts';

/** Leaves when the test ends: an open page holds an event stream, and lists the endpoints again when a file changes. */
export async function visitorOfTest(service: Explorer, options?: BrowserContextOptions): Promise<Visitor> {
  const visitor = await service.visit(options);
  onTestFinished(() => visitor.page.context().close());
  return visitor;
}
