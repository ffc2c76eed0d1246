import type { ReportData } from '../data/report-data.ts'
import type { MakeElement } from '../element.ts'
import type { QueryRow, RankedDocument } from './query-rows.ts'

/**
 * Builds the table of queries; this is the script of the report. Its source is copied into the page
 * unchanged, so it must not use anything outside itself.
 */
export function queryTable(element: MakeElement): void {
  type Sort = 'query' | 'before' | 'after' | 'gain'
  type Show = 'all' | 'better' | 'equal' | 'worse'
  const source = document.getElementById('query-data')!.textContent!
  const data = JSON.parse(source) as NonNullable<ReportData['queries']>
  const { rows, documents, measure, level } = data
  const FIRST = 50
  const MORE = 200
  const collator = new Intl.Collator('en', { numeric: true })
  const gainOf = (row: QueryRow): number => row.after - row.before
  const largest = rows.reduce((most, row) => Math.max(most, Math.abs(gainOf(row))), 0)
  const searched = rows.map(({ id, text }) => `${id} ${text ?? ''}`.toLowerCase())
  const kinds: Record<Show, (gain: number) => boolean> = {
    all: () => true,
    better: (gain) => gain > 0,
    equal: (gain) => gain === 0,
    worse: (gain) => gain < 0,
  }
  const orders: Record<Sort, (a: QueryRow, b: QueryRow) => number> = {
    query: (a, b) => collator.compare(a.id, b.id),
    before: (a, b) => a.before - b.before,
    after: (a, b) => a.after - b.after,
    gain: (a, b) => gainOf(a) - gainOf(b),
  }
  const state = { sort: 'gain' as Sort, down: true, show: 'all' as Show, words: '' }
  let found: QueryRow[] = []
  let shown = 0

  const body = element('tbody', {})
  const status = element('p', { class: 'note', role: 'status' })
  const more = button('', () => append(MORE))
  const search = element('input', {
    type: 'search',
    placeholder: 'search queries',
    'aria-label': 'search queries',
  }) as HTMLInputElement
  search.addEventListener('input', () => change({ words: search.value.trim().toLowerCase() }))
  const filters = (Object.keys(kinds) as Show[]).map((show) => {
    const size = rows.filter((row) => kinds[show](gainOf(row))).length
    return { show, made: button(`${show} ${size}`, () => change({ show })) }
  })
  const heads = (Object.keys(orders) as Sort[]).map((sort) => {
    const sorted = button(sort, () =>
      change({ sort, down: state.sort === sort ? !state.down : sort !== 'query' }),
    )
    return { sort, cell: element('th', { scope: 'col', class: sort }, sorted) }
  })
  document
    .getElementById('query-table')!
    .replaceChildren(
      element(
        'div',
        { class: 'controls' },
        search,
        element('div', { class: 'filters' }, ...filters.map(({ made }) => made)),
      ),
      element(
        'table',
        { class: 'queries' },
        element('caption', {}, `${measure} before and after`),
        element('thead', {}, element('tr', {}, ...heads.map(({ cell }) => cell))),
        body,
      ),
      status,
      more,
    )
  fill()

  function change(changed: Partial<typeof state>): void {
    Object.assign(state, changed)
    fill()
  }

  function fill(): void {
    const order = orders[state.sort]
    found = rows
      .filter((row, i) => kinds[state.show](gainOf(row)) && searched[i]!.includes(state.words))
      .sort((a, b) => (state.down ? order(b, a) : order(a, b)) || collator.compare(a.id, b.id))
    for (const { sort, cell } of heads) {
      const direction = state.down ? 'descending' : 'ascending'
      cell.setAttribute('aria-sort', sort === state.sort ? direction : 'none')
    }
    for (const { show, made } of filters) {
      made.setAttribute('aria-pressed', String(show === state.show))
    }
    shown = 0
    body.replaceChildren()
    append(FIRST)
  }

  /** Appends the next rows: thousands of rows at once would be slow. */
  function append(count: number): void {
    const next = found.slice(shown, shown + count)
    shown += next.length
    body.append(...next.map(queryRow))
    status.textContent =
      found.length === 0 ? 'No query matches.' : `${shown} of ${found.length} queries`
    more.hidden = shown === found.length
    more.textContent = `Show ${Math.min(MORE, found.length - shown)} more`
  }

  function queryRow(row: QueryRow): HTMLElement {
    const gain = gainOf(row)
    const toggle = button('', () => {
      const open = toggle.getAttribute('aria-expanded') === 'true'
      toggle.setAttribute('aria-expanded', String(!open))
      if (open) made.nextElementSibling?.remove()
      else made.after(detailRow(row))
    })
    toggle.setAttribute('aria-expanded', 'false')
    toggle.append(
      element('bdi', { class: 'text' }, row.text ?? `query ${row.id}`),
      element('bdi', { class: 'id' }, row.id),
    )
    const kind = gain > 0 ? 'gain' : gain < 0 ? 'loss' : 'none'
    const bar = element('span', { class: `amount ${kind}` })
    bar.style.width = `${largest > 0 ? (50 * Math.abs(gain)) / largest : 0}%`
    const made = element(
      'tr',
      {},
      element('td', { class: 'query' }, toggle),
      element('td', { class: 'before' }, row.before.toFixed(3)),
      element('td', { class: 'after' }, row.after.toFixed(3)),
      element(
        'td',
        { class: `gain ${kind}` },
        element('span', { class: 'track', 'aria-hidden': 'true' }, bar),
        element(
          'span',
          { class: 'figure' },
          gain === 0 ? '0' : `${gain < 0 ? '−' : '+'}${Math.abs(gain).toFixed(3)}`,
        ),
      ),
    )
    return made
  }

  function detailRow(row: QueryRow): HTMLElement {
    const [before, after] = row.rankings
    const judged = `${row.relevant} ${row.relevant === 1 ? 'document is' : 'documents are'} judged relevant`
    return element(
      'tr',
      { class: 'detail' },
      element(
        'td',
        { colspan: '4' },
        element('p', { class: 'full' }, element('bdi', {}, row.text ?? `query ${row.id}`)),
        element(
          'p',
          { class: 'note' },
          `${judged}. `,
          element(
            'span',
            { class: 'key' },
            element('span', { class: 'dot relevant' }),
            ' relevant',
          ),
          element(
            'span',
            { class: 'key' },
            element('span', { class: 'dot other' }),
            ' judged, not relevant',
          ),
        ),
        element(
          'div',
          { class: 'rankings' },
          ranking(`before: ${data.before}`, before, (entry) => {
            if (entry.other === undefined) return ['gone', -1, 'not in the other ranking']
            if (entry.other <= after.length) return undefined
            return [`→ ${entry.other}`, -1, `now at rank ${entry.other}`]
          }),
          ranking(`after: ${data.after}`, after, (entry, rank) => {
            if (entry.other === undefined) return ['new', 1, 'not in the other ranking']
            const up = entry.other - rank
            if (up === 0) return undefined
            return up > 0
              ? [`↑${up}`, up, `up from rank ${entry.other}`]
              : [`↓${-up}`, up, `down from rank ${entry.other}`]
          }),
        ),
      ),
    )
  }

  function ranking(
    heading: string,
    entries: readonly RankedDocument[],
    moveOf: (entry: RankedDocument, rank: number) => [string, number, string] | undefined,
  ): HTMLElement {
    const items = entries.map((entry, i) => {
      const { id, title, text } = documents[entry.document]!
      const relevant = entry.grade !== undefined && entry.grade >= level
      const judged = entry.grade !== undefined && entry.grade >= 0
      const dot = element('span', { class: `dot ${relevant ? 'relevant' : judged ? 'other' : ''}` })
      if (judged) {
        dot.title = `${relevant ? 'relevant' : 'not relevant'}, grade ${entry.grade}`
        dot.setAttribute('role', 'img')
        dot.setAttribute('aria-label', dot.title)
      }
      const [label, up, meaning] = moveOf(entry, i + 1) ?? ['', 0, '']
      // Only the move of a relevant document counts as a gain or a loss.
      const kind = relevant ? (up > 0 ? 'gain' : 'loss') : ''
      return element(
        'li',
        relevant ? { class: 'relevant' } : {},
        element('span', { class: 'rank' }, String(i + 1)),
        dot,
        element(
          'span',
          { class: 'document' },
          ...(title ? [element('bdi', { class: 'title' }, title)] : []),
          ...(text ? [element('bdi', { class: 'text' }, text)] : []),
          element('bdi', { class: 'id' }, id),
        ),
        element('span', { class: `move ${kind}`, title: meaning }, label),
      )
    })
    return element(
      'div',
      {},
      element('h4', {}, element('bdi', {}, heading)),
      items.length === 0
        ? element('p', { class: 'note' }, 'no documents')
        : element('ol', {}, ...items),
    )
  }

  function button(label: string, press: () => void): HTMLButtonElement {
    const made = element('button', { type: 'button' }, label) as HTMLButtonElement
    made.addEventListener('click', press)
    return made
  }
}
