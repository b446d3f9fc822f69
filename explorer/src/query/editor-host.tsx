// The element that holds the editor, which is a separate chunk and loaded when first needed.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Language, Sandbox } from '../service/listing.ts';
import { NotLoaded, useChunk } from '../parts/use-chunk.tsx';
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
  const { module, hasFailed } = useChunk(() => import('./editor.ts'));
  useEffect(() => {
    const { current } = host;
    if (current === null || module === undefined) return undefined;
    const onText = (next: string): void => change({ texts: { ...address.value.texts, [language]: next } });
    const onRun = (isFresh: boolean): void => void start({ isFresh });
    const options = { language, sandbox, text: address.value.texts[language], onText, onRun };
    const open = module.createEditor(current, options);
    setEditor(open);
    onReady(open);
    return () => {
      open.close();
      onReady(undefined);
    };
  }, [module, language]);
  // Read the current text: more may have been typed by the time the effect runs.
  useEffect(() => editor?.setText(address.value.texts[language]), [editor, text]);
  useEffect(() => editor?.setSandbox(sandbox), [editor, sandbox]);
  if (hasFailed) return <NotLoaded what="The editor" />;
  return <div class="editor" ref={host} data-language={language} />;
}
