import { type Explanation, type MatchedTerm, type TokenizerName, termSpans } from '@kith/core'
import type { ComponentChildren, VNode } from 'preact'
import { preselectOf } from '../model/page-settings.ts'
import { useMethod } from '../model/use-method.ts'
import type { ViewProps } from '../model/use-studio.ts'
import { decimal, FullText, inOneLine, percent } from '../parts/document-text.tsx'
import { Mark, partTitles } from './ranking-list.tsx'

/** Neighbors and supporters that are named. */
const NAMED = 6

/** Explains the rank of a document: the parts of its score, and its supporters. */
export function ExplanationCard(
  props: ViewProps & { document: number; onClose: () => void },
): VNode | null {
  const { source, onClose, update } = props
  const { done } = useMethod('explain', source, props.settings, props.document)
  // The next one may come from another query, whose documents these are not.
  if (!done || done.source !== source) return null
  const explanation = done.value
  const [settings] = done.args
  const { index, rankBefore, rankAfter, matched, inContext, window } = explanation
  const entry = source.documents[index]!
  const found = new Set(matched.flatMap(({ term }) => term ?? []))
  return (
    <aside class="card explanation" aria-label="Explanation">
      <button type="button" class="close" onClick={onClose} aria-label="Close">
        ×
      </button>
      <div class="columns">
        <div>
          <h3>
            {rankBefore === rankAfter
              ? `Stays at rank ${rankAfter}`
              : `From rank ${rankBefore} to rank ${rankAfter}`}
          </h3>
          <FullText {...entry} wanted={{ tokenizer: settings.tokenizer, found, window }} />
          {window && (
            <p class="note">
              <span class="best-window">Underlined</span>: the best window of {settings.windowTerms}{' '}
              terms.
            </p>
          )}
          {inContext && (
            <button type="button" onClick={() => update({ view: 'neighborhood', probe: entry.id })}>
              Show neighborhood
            </button>
          )}
        </div>
        {inContext ? (
          <Reasons {...props} settings={settings} explanation={explanation} />
        ) : (
          <p>
            Not reranked: Kith chose {settings.contextSize} other documents of the first{' '}
            {preselectOf(settings)} candidates, by similarity and BM25.
          </p>
        )}
      </div>
    </aside>
  )
}

/** The parts of a score, each with its components. */
function Reasons(props: ViewProps & { explanation: Explanation }): VNode {
  const { source, analysis, settings, info, explanation } = props
  const { score, jaccard, words, shared, supporters, matched } = explanation
  const parts = analysis.parts.get(explanation.index)
  const hasWords = analysis.shown.includes('words')
  const relevance = analysis.estimate?.relevance[explanation.rankAfter - 1]
  const { documents, query } = source
  return (
    <>
      <div>
        <h3>Score {decimal(score)}</h3>
        <dl class="facts">
          {relevance !== undefined && (
            <>
              <dt>Estimated relevance</dt>
              <dd>{percent(relevance)}</dd>
            </>
          )}
          {parts &&
            analysis.shown.map((name) => (
              <>
                <dt>
                  <span class={`key-bar ${name}`} /> {upperFirst(partTitles[name])}
                </dt>
                <dd>{decimal(parts[name])}</dd>
              </>
            ))}
          {hasWords && (
            <>
              <dt>BM25 score, unweighted</dt>
              <dd>{decimal(words)}</dd>
            </>
          )}
          <dt>Neighbor score (Jaccard overlap)</dt>
          <dd>{decimal(jaccard)}</dd>
        </dl>
      </div>
      {hasWords && (
        <MatchedWords query={query.text!} matched={matched} tokenizer={settings.tokenizer} />
      )}
      <ReasonList
        title={
          shared.length === 0 ? 'No shared neighbors' : plural(shared.length, 'shared neighbor')
        }
        kind="neighbors"
      >
        {shared.slice(0, NAMED).map(({ member, queryWeight, candidateWeight }) => (
          <li key={member}>
            {member === 'query' ? (
              <span class="mark query" />
            ) : (
              <Mark grade={documents[member]!.grade} level={info.level} />
            )}
            <span class="text">
              {member === 'query'
                ? `The query: ${query.text ?? query.id}`
                : inOneLine(documents[member]!)}
            </span>
            <span class="number">{decimal(Math.min(queryWeight, candidateWeight))}</span>
          </li>
        ))}
      </ReasonList>
      {hasWords && (
        <ReasonList
          title={
            supporters.length === 0
              ? 'Not similar to other top hits'
              : `Similar to ${plural(supporters.length, 'top hit')}`
          }
          kind="support"
        >
          {supporters.slice(0, NAMED).map(({ candidate, similarity }) => (
            <li key={candidate}>
              <Mark grade={documents[candidate]!.grade} level={info.level} />
              <span class="text">{inOneLine(documents[candidate]!)}</span>
              <span class="number">{decimal(similarity)}</span>
            </li>
          ))}
        </ReasonList>
      )}
    </>
  )
}

/** The supporters of a document, with the contribution of each. */
function ReasonList(props: { title: string; kind: string; children: ComponentChildren }): VNode {
  return (
    <div>
      <h3>
        <span class={`key-bar ${props.kind}`} /> {props.title}
      </h3>
      <ul class={`reasons ${props.kind}`}>{props.children}</ul>
    </div>
  )
}

/**
 * The query's words that a document has, each with its part of the BM25 score, and the missing words.
 */
function MatchedWords(props: {
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
          ? 'No query term matched'
          : words.size === 1
            ? 'The only query term matched'
            : `${matched.length} of ${words.size} query terms matched`}
      </h3>
      <ul class="reasons words">
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
        <p class="note lacking">Not matched: {lacking.map(([, word]) => word).join(', ')}</p>
      )}
    </div>
  )
}

function upperFirst(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
