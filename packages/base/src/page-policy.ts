import { createHash } from 'node:crypto'

/**
 * The Content-Security-Policy of a page that we write: it loads nothing but what the directives allow,
 * since the texts on our pages are not trusted.
 *
 * @param directives Sources by directive, such as `style-src` and the hash of the page's own style.
 */
export function pagePolicy(directives: Readonly<Record<string, string>>): string {
  const none = "'none'"
  return Object.entries({
    'default-src': none,
    ...directives,
    'base-uri': none,
    'form-action': none,
  })
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ')
}

/** A style or script of the page itself, as a source that a policy allows. */
export function ownSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
