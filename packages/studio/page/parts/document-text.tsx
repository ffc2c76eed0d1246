import type { VNode } from 'preact'
import type { DocumentText } from '../../src/studio-wire.ts'
import { Highlighted, type Wanted } from './highlighted.tsx'

/** As much of a document as one line can show. */
const LINE = 300

/** A document in one line: its title and text, or its id where there are none. */
export function inOneLine({ id, title, text }: DocumentText): string {
  return [title, text].filter(Boolean).join(' · ').slice(0, LINE) || id
}

/** A document in full, with the words marked that are wanted. */
export function FullText(props: DocumentText & { wanted?: Wanted | undefined }): VNode {
  const { id, title, text, wanted } = props
  const shown = (part: string): VNode | string =>
    wanted ? <Highlighted text={part} wanted={wanted} /> : part
  return (
    <div class="full-text">
      {title && <p class="title">{shown(title)}</p>}
      <p>{text === undefined ? (title ? '' : 'No text was given.') : shown(text)}</p>
      <p class="id">{id}</p>
    </div>
  )
}
