import type { AuditPageData } from './audit-page.ts'

/**
 * What runs in the judging page. Its source is put into the page as it stands, so it may use
 * nothing from outside itself.
 */
export function judgingPage(): void {
  type Decision = 'accepted' | 'rejected' | 'skipped'
  const data = JSON.parse(document.getElementById('data')!.textContent!) as AuditPageData
  const page = document.getElementById('page')!
  const { entries } = data
  const keyOf = (index: number): string => `${entries[index]!.query}\t${entries[index]!.document}`
  // Another list under the same address must not show these decisions: they are kept by pair.
  const storage = `kith-audit ${data.title}`
  const decisions = new Map<string, Decision>(load())
  const history: { index: number; before: Decision | undefined }[] = []
  let current = Math.max(0, firstOpen())
  /** Nothing is open and nobody has asked to see an entry again: keys decide nothing. */
  let finished = firstOpen() < 0

  const actions: Record<string, () => void> = {
    a: () => decide('accepted'),
    r: () => decide('rejected'),
    s: () => decide('skipped'),
    u: undo,
    ArrowLeft: () => show(current - 1),
    ArrowRight: () => show(current + 1),
    e: exportQrels,
  }
  document.addEventListener('keydown', (event) => {
    // A key that is held down must not decide about the next ones.
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key]
    if (!action) return
    event.preventDefault()
    action()
  })
  draw()

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
      // A browser that keeps nothing still lets one judge and export.
    }
  }

  function firstOpen(): number {
    return entries.findIndex((_, index) => !decisions.has(keyOf(index)))
  }

  function decide(decision: Decision): void {
    if (entries.length === 0 || finished) return
    history.push({ index: current, before: decisions.get(keyOf(current)) })
    decisions.set(keyOf(current), decision)
    save()
    const next = entries.findIndex((_, index) => index > current && !decisions.has(keyOf(index)))
    const open = next >= 0 ? next : firstOpen()
    finished = open < 0
    if (!finished) current = open
    draw()
  }

  function undo(): void {
    const last = history.pop()
    if (!last) return
    if (last.before) decisions.set(keyOf(last.index), last.before)
    else decisions.delete(keyOf(last.index))
    save()
    show(last.index)
  }

  function show(index: number): void {
    current = Math.min(entries.length - 1, Math.max(0, index))
    finished = false
    draw()
  }

  function exportQrels(): void {
    const lines: string[] = []
    entries.forEach((entry, index) => {
      const decision = decisions.get(keyOf(index))
      if (decision === 'accepted') lines.push(`${entry.query} 0 ${entry.document} ${data.grade}\n`)
      if (decision === 'rejected') lines.push(`${entry.query} 0 ${entry.document} 0\n`)
    })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob(lines, { type: 'text/plain' }))
    link.download = 'decisions.qrels'
    link.click()
    URL.revokeObjectURL(link.href)
  }

  function draw(): void {
    const entry = entries[current]
    if (!entry) {
      page.replaceChildren(element('h1', {}, 'There is nothing to judge.'))
      return
    }
    const count = (decision: Decision): number =>
      entries.filter((_, index) => decisions.get(keyOf(index)) === decision).length
    const done = entries.filter((_, index) => decisions.has(keyOf(index))).length
    const decision = decisions.get(keyOf(current))
    page.replaceChildren(
      element(
        'header',
        {},
        element(
          'strong',
          {},
          finished ? 'All judged: export' : `${current + 1} of ${entries.length}`,
        ),
        element(
          'span',
          {},
          `${count('accepted')} accepted, ${count('rejected')} rejected, ${count('skipped')} skipped`,
        ),
        element('span', {}, `evidence ${entry.evidence.toFixed(2)}`),
      ),
      element('progress', { max: String(entries.length), value: String(done) }),
      element('h1', {}, data.queries[entry.query] ?? `query ${entry.query}`),
      card('Is this relevant?', entry.document, `candidate ${decision ?? ''}`, decision ?? ''),
      ...entry.vouchers.map(({ document: id, similarity, jaccard }) =>
        card(
          'Known to be relevant',
          id,
          '',
          `similarity ${similarity.toFixed(3)}, shared neighbours ${jaccard.toFixed(3)}`,
        ),
      ),
      element(
        'div',
        { class: 'bar' },
        button('Relevant', 'A', 'a', 'yes'),
        button('Not relevant', 'R', 'r', 'no'),
        button('Skip', 'S', 's'),
        button('Undo', 'U', 'u'),
        button('Back', '←', 'ArrowLeft'),
        button('On', '→', 'ArrowRight'),
        button('Export', 'E', 'e'),
      ),
    )
  }

  function card(heading: string, id: string, kind: string, note: string): HTMLElement {
    const entry = data.documents[id]
    return element(
      'article',
      { class: kind.trim() },
      element('h2', {}, `${heading} · ${id}${note ? ` · ${note}` : ''}`),
      ...(entry?.title ? [element('p', {}, element('strong', {}, entry.title))] : []),
      element('p', {}, entry?.text ?? 'no text was given'),
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

  function element(
    name: string,
    attributes: Record<string, string>,
    ...children: (Node | string)[]
  ): HTMLElement {
    const made = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) if (value) made.setAttribute(key, value)
    made.append(...children)
    return made
  }
}
