import { type TextWindow, type TokenizerName, termSpans } from '@kith/core'
import type { ComponentChild, VNode } from 'preact'
import type { DocumentText } from '../../src/studio-wire.ts'

/** The part of a document that fits on one line. */
const LINE = 300

/** A document in one line: its title and text, or its id if there are none. */
export function inOneLine({ id, title, text }: DocumentText): string {
  return [title, text].filter(Boolean).join(' · ').slice(0, LINE) || id
}

/** A document in full, with the words marked that are wanted. */
export function FullText(props: DocumentText & { wanted?: Wanted | undefined }): VNode {
  const { id, title, text, wanted } = props
  const shown = (part: string, window: Span | undefined): VNode | string =>
    wanted ? <Highlighted text={part} wanted={wanted} window={window} /> : part
  return (
    <div class="full-text">
      {title && <p class="title">{shown(title, wanted?.window?.title)}</p>}
      <p>
        {text === undefined
          ? title
            ? ''
            : 'No text was given.'
          : shown(text, wanted?.window?.text)}
      </p>
      <p class="id">{id}</p>
    </div>
  )
}

/** Terms to look for in a text, and how its words become terms. */
interface Wanted {
  tokenizer: TokenizerName
  found: ReadonlySet<string>
  /** The part with most of the terms close together. */
  window?: TextWindow | undefined
}

/** A part of a text: from `start` to before `end`. */
interface Span {
  start: number
  end: number
}

/** A text in which the words of some terms are marked, and the best window is underlined. */
function Highlighted(props: { text: string; wanted: Wanted; window: Span | undefined }): VNode {
  const { text, wanted, window } = props
  const found = termSpans(text, wanted.tokenizer).filter(({ term }) => wanted.found.has(term))
  // Further terms of the same words come behind all others.
  const marked = (from: number, to: number): ComponentChild[] => {
    const pieces: ComponentChild[] = []
    let end = from
    for (const span of found.toSorted((a, b) => a.start - b.start)) {
      // Pairs of characters overlap in scripts without spaces.
      const start = Math.max(span.start, end)
      if (start >= span.end || span.end > to) continue
      pieces.push(text.slice(end, start), <mark key={start}>{text.slice(start, span.end)}</mark>)
      end = span.end
    }
    return [...pieces, text.slice(end, to)]
  }
  if (!window) return <>{marked(0, text.length)}</>
  return (
    <>
      {marked(0, window.start)}
      <span class="best-window">{marked(window.start, window.end)}</span>
      {marked(window.end, text.length)}
    </>
  )
}

/** A measure as the page writes it. */
export function figure(value: number): string {
  return value.toFixed(3)
}

/** Any other number, with a real minus. */
export function decimal(value: number, digits = 3): string {
  return value.toFixed(digits).replace('-', '−')
}

/** A probability. */
export function percent(value: number): string {
  return `${Math.round(value * 100)}%`
}

/** A difference with its sign, a real minus included. */
export function difference(value: number): string {
  const text = Math.abs(value).toFixed(3)
  if (Number(text) === 0) return '±0'
  return `${value > 0 ? '+' : '−'}${text}`
}

/** The class of a difference: gains and losses have different colors. */
export function tone(value: number): string {
  if (Math.abs(value) < 0.0005) return 'same'
  return value > 0 ? 'gain' : 'loss'
}
