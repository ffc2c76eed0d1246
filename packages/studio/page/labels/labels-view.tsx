import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { defaultLabels, type PageLabelSettings } from '../model/page-settings.ts'
import { useMethod } from '../model/use-method.ts'
import type { ViewProps } from '../model/view-props.ts'
import { Choice } from '../parts/choice.tsx'
import { inOneLine } from '../parts/document-text.tsx'
import { Slider } from '../parts/slider.tsx'
import { LabelTableView } from './label-table.tsx'

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
      <p class="empty">Nothing is judged relevant for this query, so there is nothing to smooth.</p>
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
          help="How many candidates get a probability above 0. Ground truth counts, and is never dropped."
          from={1}
          to={Math.min(64, settings.contextSize)}
          step={1}
          value={labels.labelDepth}
          onChange={(labelDepth) => change({ labelDepth })}
        />
        <Slider
          label="Boost"
          symbol="b"
          help="The factor of the ground truth’s evidence."
          from={0.1}
          to={5}
          step={0.001}
          value={labels.boost}
          onChange={(boost) => change({ boost })}
        />
        <Choice
          label="Normalization"
          help="How evidence is brought to a common range before the softmax."
          options={['maxmin', 'std', 'max', 'none']}
          value={labels.normalize}
          onChange={(normalize) => change({ normalize })}
        />
        <Choice
          label="Statistics over"
          help="The whole context, as the paper says, or the kept candidates, as its program does."
          options={['context', 'kept']}
          value={labels.normalizeOver}
          onChange={(normalizeOver) => change({ normalizeOver })}
        />
        {chosen.length > 1 && (
          <Choice
            label="Several relevant ones"
            help="How the evidence of several ground-truth documents becomes one number."
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
          {chosen.length} relevant documents do not fit a context of {settings.contextSize}: raise
          Context, or choose one of them.
        </p>
      )}
    </section>
  )
}
