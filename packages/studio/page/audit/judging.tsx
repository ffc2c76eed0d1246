import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { StudioInfo } from '../../src/studio-wire.ts'
import { FullText } from '../parts/document-text.tsx'
import type { Suspect } from './audit-messages.ts'
import { type Decision, Decisions } from './decisions.ts'
import { useTexts } from './use-texts.ts'

/** One suspect after the other, with the documents that speak for it; keys decide. */
export function Judging(props: {
  info: StudioInfo
  suspects: readonly Suspect[]
  leftOut: number
}): VNode {
  const { info, suspects, leftOut } = props
  const decisions = useMemo(
    () => new Decisions(`${info.files.run} · ${info.files.qrels}`),
    [info.files],
  )
  const isOpen = (suspect: Suspect): boolean => decisions.get(suspect) === undefined
  const [{ current, finished }, setPlace] = useState(() => {
    const open = suspects.findIndex(isOpen)
    return { current: Math.max(0, open), finished: open < 0 }
  })
  const suspect = suspects[current]
  const texts = useTexts(suspect)
  const show = (index: number): void =>
    setPlace({ current: Math.min(suspects.length - 1, Math.max(0, index)), finished: false })
  const decide = (decision: Decision): void => {
    // When all is judged and nobody has asked to see one again, keys decide nothing.
    if (!suspect || finished) return
    decisions.decide(suspect, decision)
    const next = suspects.findIndex((other, index) => index > current && isOpen(other))
    const open = next >= 0 ? next : suspects.findIndex(isOpen)
    setPlace({ current: open < 0 ? current : open, finished: open < 0 })
  }
  const actions: Record<string, () => void> = {
    a: () => decide('accepted'),
    r: () => decide('rejected'),
    s: () => decide('skipped'),
    u: () => {
      const undone = decisions.undo()
      if (undone) show(suspects.indexOf(undone))
    },
    e: () => download(decisions.qrels(suspects, info.level)),
    ArrowLeft: () => show(current - 1),
    ArrowRight: () => show(current + 1),
  }
  useKeys(actions)
  if (!suspect) return <h1>There is nothing to judge.</h1>
  const decision = decisions.get(suspect)
  const count = (kind: Decision): number => decisions.count(suspects, kind)
  const done = suspects.filter((other) => !isOpen(other)).length
  const button = (label: string, shown: string, key: string, kind = ''): VNode => (
    <button type="button" class={kind} onClick={() => actions[key]!()}>
      {label} <kbd>{shown}</kbd>
    </button>
  )
  return (
    <section class="audit" aria-label="Judging">
      <p class="progress-line" role="status">
        <strong>{finished ? 'All judged: export' : `${current + 1} of ${suspects.length}`}</strong>
        <span>
          {count('accepted')} accepted, {count('rejected')} rejected, {count('skipped')} skipped
        </span>
        <span>evidence {suspect.evidence.toFixed(2)}</span>
      </p>
      <progress max={suspects.length} value={done} aria-label="Judged" />
      <h1>{suspect.queryText ?? `Query ${suspect.query}`}</h1>
      <article class={`card candidate ${decision ?? ''}`}>
        <h2>
          Is this relevant?
          {decision && <span class={`decision ${decision}`}>{decision}</span>}
        </h2>
        <FullText {...(texts.get(suspect.document) ?? { id: suspect.document })} />
      </article>
      {suspect.vouchers.map((voucher) => (
        <article key={voucher.document} class="card">
          <h2>
            Known to be relevant
            <span class="note">
              {' '}
              similarity {voucher.similarity.toFixed(3)}, shared neighbours{' '}
              {voucher.jaccard.toFixed(3)}
            </span>
          </h2>
          <FullText {...(texts.get(voucher.document) ?? { id: voucher.document })} />
        </article>
      ))}
      {leftOut > 0 && (
        <p class="note">
          {leftOut} queries have more relevant documents than a context of 200 holds, and were left
          out.
        </p>
      )}
      <div class="bar">
        {button('Relevant', 'A', 'a', 'yes')}
        {button('Not relevant', 'R', 'r', 'no')}
        {button('Skip', 'S', 's')}
        {button('Undo', 'U', 'u')}
        {button('Back', '←', 'ArrowLeft')}
        {button('On', '→', 'ArrowRight')}
        {button('Export', 'E', 'e')}
      </div>
    </section>
  )
}

/** Keys of the whole page, for as long as this view is open. */
function useKeys(actions: Record<string, () => void>): void {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      // A key that is held down must not decide about the next ones.
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
      const action = latest.current[event.key.length === 1 ? event.key.toLowerCase() : event.key]
      if (!action) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

function download(text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = 'decisions.qrels'
  link.click()
  URL.revokeObjectURL(link.href)
}
