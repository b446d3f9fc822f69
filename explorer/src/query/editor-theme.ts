// The editor's theme: the page's colours, passed in as custom properties.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const LOOK = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    fontSize: 'var(--text)',
    maxHeight: 'var(--editor-limit, 340px)',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', fontFeatureSettings: "'liga' 0, 'calt' 0" },
  '.cm-content': { padding: '9px 0', caretColor: 'var(--ink)', minHeight: 'var(--editor-height)' },
  '.cm-line': { padding: '0 12px 0 6px' },
  // The page's own rule does not reach into the shadow tree.
  '@media (prefers-reduced-motion: reduce)': { '.cm-cursorLayer': { animation: 'none !important' } },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '1.5px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-2)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 6px 0 12px', minWidth: '30px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-placeholder': { color: 'var(--ink-2)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent), transparent 76%)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent-soft)',
    outline: 'none',
  },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad) 1.5px',
    textUnderlineOffset: '4px',
    backgroundColor: 'color-mix(in srgb, var(--bad), transparent 88%)',
  },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line-strong)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: 'var(--text)', maxHeight: '15em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 10px', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent-soft)', color: 'var(--ink)' },
  '.cm-completionDetail': { color: 'var(--ink-2)', fontStyle: 'normal', marginLeft: '1.5em', float: 'right' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '650' },
  '.cm-completionIcon': { display: 'none' },
  '.cm-diagnostic': {
    padding: '7px 12px',
    borderLeft: '3px solid var(--bad)',
    fontFamily: 'var(--sans)',
    maxWidth: '60ch',
  },
});

const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--code-name)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--code-word)' },
  { tag: tags.propertyName, color: 'var(--code-word)' },
  { tag: [tags.operator, tags.punctuation, tags.comment], color: 'var(--ink-2)' },
]);

export const EDITOR_LOOK: Extension = [LOOK, syntaxHighlighting(COLORS)];
