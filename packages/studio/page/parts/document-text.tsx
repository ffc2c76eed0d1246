import type { VNode } from 'preact'
import type { DocumentText } from '../../src/studio-wire.ts'

/** As much of a document as one line can show. */
const LINE = 300

/** A document in one line: its title and text, or its id where there are none. */
export function inOneLine({ id, title, text }: DocumentText): string {
  return [title, text].filter(Boolean).join(' · ').slice(0, LINE) || id
}

/** A document in full. */
export function FullText({ id, title, text }: DocumentText): VNode {
  return (
    <div class="full-text">
      {title && <p class="title">{title}</p>}
      <p>{text ?? (title ? '' : 'No text was given.')}</p>
      <p class="id">{id}</p>
    </div>
  )
}
