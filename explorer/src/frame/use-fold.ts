// Folds title and form into the bar: from the first run on that gives rows, until the visitor unfolds them.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useExplorer } from '../state/context.ts';
import { isCorrected, type Run } from '../state/model.ts';

export interface Fold {
  readonly isFolded: boolean;
  readonly toggle: () => void;
  /** What is folded, and the button that unfolds it. */
  readonly body: RefObject<HTMLDivElement | null>;
  readonly button: RefObject<HTMLButtonElement | null>;
}

/** `isReady`: what is shown needs nothing of the form. */
export function useFold(isReady: boolean): Fold {
  const { run, address } = useExplorer();
  const [chosen, setChosen] = useState<boolean>();
  const hasRun = useRef(false);
  const body = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  hasRun.current ||= hasRows(run.value); // not in an effect: the form would be there for a moment
  const isTyping = body.current?.contains(document.activeElement) === true;
  // The form folds when the run starts, not when its rows arrive, so that buttons do not move under the pointer meanwhile.
  const isRunning = run.value.kind === 'running' && !isTyping;
  const isFolded =
    (chosen ?? (hasRun.current || isReady || isRunning)) &&
    !isToCorrect(run.value) &&
    !isCorrected(run.value, address.value);
  useLayoutEffect(() => {
    // What is hidden cannot keep the focus: the form was left with Enter in one of its fields.
    const { activeElement } = document;
    if (isFolded && activeElement !== null && body.current?.contains(activeElement) === true)
      button.current?.focus();
  }, [isFolded]);
  return { isFolded, toggle: () => setChosen(!isFolded), body, button };
}

/** Without rows, the next thing to do is in the form. */
function hasRows(run: Run): boolean {
  return run.kind === 'done' && run.answer.rows.length > 0;
}

/** Returns whether the service rejected parameters, whose fields say what is wrong. */
function isToCorrect(run: Run): boolean {
  return run.kind === 'failed' && run.problem.errors.some(({ parameter }) => parameter !== undefined);
}
