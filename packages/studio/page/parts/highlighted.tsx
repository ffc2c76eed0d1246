import { type TokenizerName, termSpans } from '@kith/core'
import type { ComponentChild, VNode } from 'preact'

/** Terms to look for in a text, and how its words become terms. */
export interface Wanted {
  tokenizer: TokenizerName
  found: ReadonlySet<string>
}

/** A text in which the words of some terms are marked. */
export function Highlighted({ text, wanted }: { text: string; wanted: Wanted }): VNode {
  const pieces: ComponentChild[] = []
  let end = 0
  for (const span of termSpans(text, wanted.tokenizer)) {
    if (!wanted.found.has(span.term)) continue
    // Pairs of characters overlap in scripts without spaces.
    const start = Math.max(span.start, end)
    pieces.push(text.slice(end, start), <mark key={start}>{text.slice(start, span.end)}</mark>)
    end = span.end
  }
  return (
    <>
      {pieces}
      {text.slice(end)}
    </>
  )
}
