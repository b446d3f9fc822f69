// The element that holds the editor, which is a separate chunk and loaded when first needed.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Language, Sandbox } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import type { Editor } from './editor.ts';

interface Props {
  readonly sandbox: Sandbox;
  readonly language: Language;
  readonly onReady: (editor: Editor | undefined) => void;
}

export function EditorHost({ sandbox, language, onReady }: Props) {
  const { address, change, start } = useExplorer();
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor>();
  const text = address.value.texts[language];
  useEffect(() => {
    const { current } = host;
    if (current === null) return undefined;
    let open: Editor | undefined;
    let isGone = false;
    const onText = (next: string): void => change({ texts: { ...address.value.texts, [language]: next } });
    const onRun = (isFresh: boolean): void => void start({ isFresh });
    void import('./editor.ts').then(({ createEditor }) => {
      if (isGone) return;
      open = createEditor(current, { language, sandbox, text: address.value.texts[language], onText, onRun });
      setEditor(open);
      onReady(open);
    });
    return () => {
      isGone = true;
      open?.close();
      onReady(undefined);
    };
  }, [language]);
  // Read the current text: more may have been typed by the time the effect runs.
  useEffect(() => editor?.setText(address.value.texts[language]), [editor, text]);
  useEffect(() => editor?.setSandbox(sandbox), [editor, sandbox]);
  return <div class="editor" ref={host} data-language={language} />;
}
