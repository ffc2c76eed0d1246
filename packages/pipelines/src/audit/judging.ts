/**
 * Internal: the part of the audit that runs in browsers, a page on which a person judges. `kith
 * audit` writes it to a file; Kith Studio shows it as a view.
 */

import { type MakeElement, element as makeElement, type PageElement } from '@kith/report/element'

export { judgingStyle } from './judging-style.ts'

/** A document to judge: probably relevant, but without a judgment. */
export interface AuditEntry {
  query: string
  document: string
  evidence: number
  /** The relevant documents that are similar to this document. */
  relevantNeighbors: AuditNeighbor[]
}

/** A relevant document that is evidence for another document. */
export interface AuditNeighbor {
  document: string
  /** The similarity of the embeddings. */
  similarity: number
  /** The Jaccard similarity of the reciprocal neighborhoods. */
  jaccard: number
}

/** Compares entries: most evidence first, ties by id, so that the order is deterministic. */
export function byEvidence(a: AuditEntry, b: AuditEntry): number {
  return b.evidence - a.evidence || compare(a.query, b.query) || compare(a.document, b.document)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** The texts of a document to show on the page. */
export interface JudgedText {
  title?: string | undefined
  text?: string | undefined
}

/** The documents to judge, and their texts. */
export interface JudgingData {
  /** The title of the page; the browser stores decisions under this name. */
  title: string
  /** The grade of accepted documents. */
  grade: number
  entries: readonly AuditEntry[]
  /** The known texts by id. */
  queries: Readonly<Record<string, string>>
  documents: Readonly<Record<string, JudgedText>>
}

/** Optional parts of the page besides its data. */
export interface JudgingSource {
  /** Fetches the texts of documents that the data lacks. */
  fetchDocuments?(ids: readonly string[]): Promise<readonly (JudgedText & { id: string })[]>
  /** A note below the documents. */
  note?: string | undefined
}

/**
 * Shows one document after another in `root`, with the relevant documents that are its evidence.
 * Keys and buttons record decisions, which stay in the browser. `kith audit` copies this function's
 * source into the page it writes, so the function must not use anything outside itself.
 *
 * @returns A function that ends the judging: it removes the key listener and empties `root`.
 */
export function startJudging(
  root: PageElement,
  data: JudgingData,
  { fetchDocuments, note }: JudgingSource = {},
  element: MakeElement = makeElement,
): () => void {
  type Decision = 'accepted' | 'rejected' | 'skipped'
  const { entries } = data
  const keyOf = (entry: AuditEntry): string => `${entry.query}\t${entry.document}`
  // Decisions are stored by query and document, so that another list with the same name cannot
  // assign them to other documents.
  const storage = `kith-audit ${data.title}`
  const decisions = new Map<string, Decision>(load())
  const history: { index: number; before: Decision | undefined }[] = []
  const texts = new Map(Object.entries(data.documents))
  const isOpen = (entry: AuditEntry): boolean => !decisions.has(keyOf(entry))
  let current = Math.max(0, entries.findIndex(isOpen))
  /** True if no entry is open and none is being reviewed: keys then record no decision. */
  let finished = !entries.some(isOpen)

  const actions: Record<string, () => void> = {
    a: () => decide('accepted'),
    r: () => decide('rejected'),
    s: () => decide('skipped'),
    u: undo,
    ArrowLeft: () => show(current - 1),
    ArrowRight: () => show(current + 1),
    e: exportQrels,
  }
  const onKey = (event: KeyboardEvent): void => {
    // Holding down a key must not decide about the following documents.
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key]
    if (!action) return
    event.preventDefault()
    action()
  }
  const stop = (): void => {
    document.removeEventListener('keydown', onKey)
    root.replaceChildren()
  }
  if (entries.length === 0) {
    root.replaceChildren(element('h1', {}, 'No documents to judge.'))
    return stop
  }

  // These elements are never replaced, so that buttons keep the focus and screen readers announce
  // changes of the status.
  const status = element('p', { class: 'progress-line', role: 'status' })
  const progress = element('progress', { max: String(entries.length), 'aria-label': 'Judged' })
  const heading = element('h1', {})
  const cards = element('div', { class: 'cards' })
  root.replaceChildren(
    element(
      'section',
      { class: 'judging', 'aria-label': 'Judging' },
      ...[status, progress, heading, cards],
      ...(note ? [element('p', { class: 'note' }, note)] : []),
      element(
        'div',
        { class: 'bar' },
        button('Relevant', 'A', 'a', 'yes'),
        button('Not relevant', 'R', 'r', 'no'),
        button('Skip', 'S', 's'),
        button('Undo', 'U', 'u'),
        button('Back', '←', 'ArrowLeft'),
        button('Next', '→', 'ArrowRight'),
        button('Export', 'E', 'e'),
      ),
    ),
  )
  document.addEventListener('keydown', onKey)
  draw()
  return stop

  function load(): [string, Decision][] {
    try {
      return JSON.parse(localStorage.getItem(storage) ?? '[]')
    } catch {
      return []
    }
  }

  function save(): void {
    try {
      localStorage.setItem(storage, JSON.stringify([...decisions]))
    } catch {
      // Judging and exporting also work in a browser without storage.
    }
  }

  function decide(decision: Decision): void {
    if (finished) return
    const key = keyOf(entries[current]!)
    history.push({ index: current, before: decisions.get(key) })
    decisions.set(key, decision)
    save()
    const next = entries.findIndex((entry, index) => index > current && isOpen(entry))
    const open = next >= 0 ? next : entries.findIndex(isOpen)
    finished = open < 0
    if (!finished) current = open
    draw()
  }

  function undo(): void {
    const last = history.pop()
    if (!last) return
    const key = keyOf(entries[last.index]!)
    if (last.before) decisions.set(key, last.before)
    else decisions.delete(key)
    save()
    show(last.index)
  }

  function show(index: number): void {
    current = Math.min(entries.length - 1, Math.max(0, index))
    finished = false
    draw()
  }

  /** Exports the judgments in TREC format, for `kith audit --accept`. */
  function exportQrels(): void {
    const lines = entries.map((entry) => {
      const decision = decisions.get(keyOf(entry))
      if (decision === undefined || decision === 'skipped') return ''
      return `${entry.query} 0 ${entry.document} ${decision === 'accepted' ? data.grade : 0}\n`
    })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob(lines, { type: 'text/plain' }))
    link.download = 'decisions.qrels'
    link.click()
    URL.revokeObjectURL(link.href)
  }

  function draw(): void {
    const entry = entries[current]!
    const made = entries.map((other) => decisions.get(keyOf(other)))
    const count = (decision: Decision): number => made.filter((other) => other === decision).length
    status.replaceChildren(
      element(
        'strong',
        {},
        finished ? 'All judged: export your decisions' : `${current + 1} of ${entries.length}`,
      ),
      element(
        'span',
        {},
        `${count('accepted')} accepted, ${count('rejected')} rejected, ${count('skipped')} skipped`,
      ),
      element('span', {}, `evidence ${entry.evidence.toFixed(2)}`),
    )
    progress.setAttribute('value', String(made.filter(Boolean).length))
    heading.textContent = data.queries[entry.query] ?? `Query ${entry.query}`
    drawCards(entry)
    fetchTexts(entry)
  }

  function drawCards(entry: AuditEntry): void {
    const decision = decisions.get(keyOf(entry)) ?? ''
    cards.replaceChildren(
      card(
        entry.document,
        `card candidate ${decision}`,
        'Is this relevant?',
        element('span', { class: `decision ${decision}` }, decision),
      ),
      ...entry.relevantNeighbors.map(({ document: id, similarity, jaccard }) =>
        card(
          id,
          'card',
          'Judged relevant',
          element(
            'span',
            { class: 'note' },
            `similarity ${similarity.toFixed(3)}, shared neighbors ${jaccard.toFixed(3)}`,
          ),
        ),
      ),
    )
  }

  function fetchTexts(entry: AuditEntry): void {
    const ids = [entry.document, ...entry.relevantNeighbors.map((neighbor) => neighbor.document)]
    if (!fetchDocuments || ids.every((id) => texts.has(id))) return
    fetchDocuments(ids).then(
      (found) => {
        for (const { id, ...text } of found) texts.set(id, text)
        if (entries[current] === entry) drawCards(entry)
      },
      () => {
        // Without texts the page shows ids; the next document tries again.
      },
    )
  }

  function card(id: string, kind: string, title: string, remark: HTMLElement): HTMLElement {
    const known = texts.get(id)
    const unknown = fetchDocuments && !known ? '' : 'No text available.'
    return element(
      'article',
      { class: kind.trim() },
      element('h2', {}, title, remark),
      element(
        'div',
        { class: 'full-text' },
        ...(known?.title ? [element('p', { class: 'title' }, known.title)] : []),
        element('p', {}, known?.text ?? (known?.title ? '' : unknown)),
        element('p', { class: 'id' }, id),
      ),
    )
  }

  function button(label: string, key: string, action: string, kind = ''): HTMLElement {
    const made = element(
      'button',
      { type: 'button', class: kind },
      `${label} `,
      element('kbd', {}, key),
    )
    made.addEventListener('click', () => actions[action]!())
    return made
  }
}
