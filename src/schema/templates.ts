// Placeholders of migration tools in statements, replaced by environment variables.

/** Upper-case names only: `{{name}}` and `${name}` are also values in queries. */
const PLACEHOLDER = /\$\{([A-Z][A-Z0-9_]*)\}|\{\{-? *\.?([A-Z][A-Z0-9_]*) *-?\}\}/g;

/** Replaces `${NAME}` and `{{.NAME}}` by values that are words; others stay, and their statements are reported. */
export function fillTemplates(text: string, variables: Readonly<Record<string, string | undefined>>): string {
  return text.replace(PLACEHOLDER, (placeholder, shell: string | undefined, go: string | undefined) => {
    const value = variables[shell ?? go ?? ''];
    return value !== undefined && /^[\w.-]{1,200}$/.test(value) ? value : placeholder;
  });
}

/** The first placeholder that was not replaced, and the name of its variable. */
export function unfilled(text: string): { readonly placeholder: string; readonly name: string } | undefined {
  const [placeholder, shell, go] = new RegExp(PLACEHOLDER.source).exec(text) ?? [];
  return placeholder === undefined ? undefined : { placeholder, name: shell ?? go ?? '' };
}
