// The key that shortcuts begin with, by the system.

export const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);
export const MODIFIER = IS_MAC ? '⌘' : 'Ctrl';
