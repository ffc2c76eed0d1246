import { type MatchedTerm, type TokenizerName, termSpans } from '@kith/core'
import type { VNode } from 'preact'
import { decimal } from '../parts/figure.ts'

/** The query's words that a document has, each with its part of the words score, and those it lacks. */
export function MatchedWords(props: {
  query: string
  matched: readonly MatchedTerm[]
  tokenizer: TokenizerName
}): VNode {
  const { query, matched, tokenizer } = props
  /** The word of the query that each term was first made of. */
  const words = new Map<string, string>()
  for (const { term, start, end } of termSpans(query, tokenizer)) {
    if (!words.has(term)) words.set(term, query.slice(start, end))
  }
  const lacking = [...words].filter(([term]) => !matched.some((other) => other.term === term))
  return (
    <div>
      <h3>
        <span class="key-bar words" />{' '}
        {matched.length === 0
          ? 'None of the query’s words'
          : words.size === 1
            ? 'The query’s one word'
            : `${matched.length} of the query’s ${words.size} words`}
      </h3>
      <ul class="vouchers words">
        {matched.map(({ term = '', weight }) => (
          <li key={term}>
            <span class="text">
              <mark>{words.get(term)}</mark>
              {words.get(term)?.toLowerCase() !== term && <span class="id"> as {term}</span>}
            </span>
            <span class="number">{decimal(weight)}</span>
          </li>
        ))}
      </ul>
      {lacking.length > 0 && (
        <p class="note lacking">Not in it: {lacking.map(([, word]) => word).join(', ')}</p>
      )}
    </div>
  )
}
