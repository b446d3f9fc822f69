// A retry button that counts down until the service accepts the request again.
import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface Props {
  /** Milliseconds of `performance.now()`; undefined: at once. */
  readonly retryAt: number | undefined;
  readonly onRetry: () => void;
}

export function RetryButton({ retryAt = 0, onRetry }: Props) {
  const [left, setLeft] = useState(() => secondsUntil(retryAt));
  useEffect(() => {
    if (secondsUntil(retryAt) === 0) return undefined;
    const timer = setInterval(() => {
      const seconds = secondsUntil(retryAt);
      setLeft(seconds);
      if (seconds === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [retryAt]);
  return (
    <button type="button" class="button retry" disabled={left > 0} onClick={onRetry}>
      <Icon name="again" /> {left > 0 ? `Retry in ${countdown(left)}` : 'Retry'}
    </button>
  );
}

function secondsUntil(retryAt: number): number {
  return Math.max(0, Math.ceil((retryAt - performance.now()) / 1000));
}

/** `12 s`, `9:58 min`. */
function countdown(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
}
