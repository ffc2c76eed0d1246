import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { StudioContext } from '../../src/studio-wire.ts'
import { defaultLabels, type PageLabelSettings } from '../model/page-settings.ts'
import { useMethod } from '../model/use-method.ts'
import type { ViewProps } from '../model/use-studio.ts'
import { Choice, Slider } from '../parts/controls.tsx'
import { inOneLine } from '../parts/document-text.tsx'
import { Mark } from '../query/ranking-list.tsx'
import type { LabelTable, TargetColumn } from './targets.ts'

/** In the address and in the list: every relevant document is ground truth, as for `kith labels`. */
const ALL = 'all'

/** Training labels for the query: what each target makes of the chosen ground truth. */
export function LabelsView({ source, settings, state, info, update }: ViewProps): VNode {
  const { documents, truth } = source
  const { labels } = state
  const byRank = useMemo(() => truth.toSorted((a, b) => a - b), [truth])
  const named = byRank.find((document) => documents[document]!.id === state.truth)
  const picked = state.truth === ALL && truth.length > 1 ? undefined : (named ?? byRank[0])
  const chosen = useMemo(() => (picked === undefined ? truth : [picked]), [truth, picked])
  const fits = chosen.length <= settings.contextSize
  const { done, error } = useMethod(
    'labelTable',
    fits && chosen.length > 0 ? source : undefined,
    settings,
    chosen,
    labels,
  )
  const change = (part: Partial<PageLabelSettings>): void =>
    update((latest) => ({ labels: { ...latest.labels, ...part } }))
  if (truth.length === 0) {
    return (
      <p class="empty">No document is judged relevant for this query, so it has no soft labels.</p>
    )
  }
  return (
    <section class="labels" aria-label="Labels">
      <div class="pick">
        <label for="truth">Ground truth</label>
        <select
          id="truth"
          value={picked === undefined ? ALL : documents[picked]!.id}
          onChange={(event) => update({ truth: event.currentTarget.value })}
        >
          {truth.length > 1 && <option value={ALL}>all {truth.length} relevant documents</option>}
          {byRank.map((document) => (
            <option key={document} value={documents[document]!.id}>
              {inOneLine(documents[document]!).slice(0, 90)}
            </option>
          ))}
        </select>
      </div>
      <div class="controls">
        <Slider
          label="Documents kept"
          symbol="n_max"
          help="Number of documents with a probability above 0, the ground truth included."
          from={1}
          to={Math.min(64, settings.contextSize)}
          step={1}
          value={labels.labelDepth}
          onChange={(labelDepth) => change({ labelDepth })}
        />
        <Slider
          label="Boost"
          symbol="b"
          help="Factor for the evidence of the ground truth."
          from={0.1}
          to={5}
          step={0.001}
          value={labels.boost}
          onChange={(boost) => change({ boost })}
        />
        <Choice
          label="Normalization"
          help="How the evidence is scaled before the softmax."
          options={['maxmin', 'std', 'max', 'none']}
          value={labels.normalize}
          onChange={(normalize) => change({ normalize })}
        />
        <Choice
          label="Statistics over"
          help="Documents that the scaling is measured on: the whole context, as in the paper, or the kept documents, as in its code."
          options={['context', 'kept']}
          value={labels.normalizeOver}
          onChange={(normalizeOver) => change({ normalizeOver })}
        />
        {chosen.length > 1 && (
          <Choice
            label="Several relevant documents"
            help="How the evidence of several ground-truth documents is combined."
            options={['mean', 'max', 'sum']}
            value={labels.aggregate}
            onChange={(aggregate) => change({ aggregate })}
          />
        )}
        <button
          type="button"
          class="reset"
          onClick={() => update({ labels: { ...defaultLabels } })}
        >
          Reset
        </button>
      </div>
      {error && (
        <p class="failure" role="alert">
          {error}
        </p>
      )}
      {fits ? (
        done && <LabelTableView {...done} level={info.level} />
      ) : (
        <p class="failure" role="alert">
          {chosen.length} relevant documents do not fit into a context of {settings.contextSize}.
          Raise Context size, or choose one document.
        </p>
      )}
    </section>
  )
}

/** The target distributions side by side: a line per document, a column per target. */
function LabelTableView(props: { value: LabelTable; source: StudioContext; level: number }): VNode {
  const { value: table, source, level } = props
  const { documents } = source
  const known = new Set(table.truth)
  const isRelevant = (document: number): boolean => (documents[document]!.grade ?? -1) >= level
  const highest = Math.max(
    ...table.columns.flatMap(({ probability }) =>
      table.rows.map((row) => probability.get(row) ?? 0),
    ),
  )
  const sum = ({ probability }: TargetColumn, counts: (document: number) => boolean): number =>
    [...probability].reduce((total, [document, value]) => total + (counts(document) ? value : 0), 0)
  const sums: [string, (document: number) => boolean][] = [
    ['Ground truth', (document) => known.has(document)],
    ['Other relevant documents', (document) => !known.has(document) && isRelevant(document)],
    ['All other documents', (document) => !known.has(document) && !isRelevant(document)],
  ]
  return (
    <section class="scroll" aria-label="Target distributions">
      <table class="targets">
        <caption class="visually-hidden">
          Probability of each of {table.candidates} candidates under each target
        </caption>
        <thead>
          <tr>
            <th scope="col">Document</th>
            {table.columns.map(({ name, about }) => (
              <th key={name} scope="col" title={about}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr key={row} class={known.has(row) ? 'truth' : ''}>
              <th scope="row" title={inOneLine(documents[row]!)}>
                <span class="line">
                  <Mark grade={documents[row]!.grade} level={level} />
                  <span class="text">{inOneLine(documents[row]!)}</span>
                </span>
              </th>
              {table.columns.map(({ name, probability }) => (
                <Cell key={name} value={probability.get(row) ?? 0} highest={highest} />
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          {sums.map(([title, counts]) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              {table.columns.map((column) => (
                <td key={column.name} class="number">
                  {percent(sum(column, counts))}
                </td>
              ))}
            </tr>
          ))}
        </tfoot>
      </table>
    </section>
  )
}

function Cell({ value, highest }: { value: number; highest: number }): VNode {
  return (
    <td class="number">
      <span class="bar" style={{ width: `${(100 * value) / highest}%` }} />
      <span class="value">{percent(value)}</span>
    </td>
  )
}

function percent(value: number): string {
  if (value === 0) return '·'
  return `${(100 * value).toFixed(1)}%`
}
