import type { PresetName } from '@kith/core'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { StudioInfo } from '../../src/studio-wire.ts'
import { type PageSettings, pagePresets, presetOf } from '../model/page-settings.ts'
import type { StudioState } from '../model/state.ts'
import type { Update } from '../model/use-studio.ts'
import { Choice } from '../parts/choice.tsx'
import { Slider } from '../parts/slider.tsx'
import { MeanCurve } from './mean-curve.tsx'
import { Share } from './share.tsx'
import { methodSliders, type SliderName, type SliderRule, viewSliders } from './sliders.ts'

/** The settings of the method; each change is seen at once, and in the mean over all queries. */
export function SettingsPanel(props: {
  info: StudioInfo
  state: StudioState
  update: Update
}): VNode {
  const { info, state, update } = props
  const { settings } = state
  const [along, setAlong] = useState<SliderName>('lambda')
  const change = (part: Partial<PageSettings>): void =>
    update({ settings: { ...settings, ...part } })
  const raw = settings.mix === 'raw'
  const slider = (rule: SliderRule): VNode | null =>
    rule.isIdle?.(settings) ? null : (
      <Slider
        key={rule.name}
        {...rule}
        to={rule.name === 'contextSize' ? Math.min(rule.to, info.depth) : rule.to}
        value={settings[rule.name]}
        onChange={(value) => {
          setAlong(rule.name)
          change({ [rule.name]: value })
        }}
      />
    )
  return (
    <aside class="settings" aria-label="Settings">
      {info.judged > 0 && <MeanCurve info={info} settings={settings} along={along} />}
      <div class="preset">
        <label for="preset">Preset</label>
        <select
          id="preset"
          value={presetOf(settings) ?? ''}
          onChange={(event) => {
            const preset = pagePresets[event.currentTarget.value as PresetName]
            update({ settings: { ...preset } })
          }}
        >
          <option value="" disabled>
            your own
          </option>
          {Object.keys(pagePresets).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div class="group">{methodSliders.map(slider)}</div>
      {info.texts &&
        (raw ? (
          <p class="note">A raw mix has one view: the words do not count.</p>
        ) : (
          <div class="group">{viewSliders.map(slider)}</div>
        ))}
      <div class="group">
        <Choice
          label="Mix"
          help="standard puts both terms on one scale first; raw takes them as they are."
          options={['standard', 'raw']}
          value={settings.mix}
          onChange={(mix) => change({ mix })}
        />
        <Choice
          label="Neighbour weights"
          help="How a neighbour's similarity becomes its weight."
          options={['linear', 'exp', 'binary']}
          value={settings.weight}
          onChange={(weight) => change({ weight })}
        />
        <Choice
          label="Row scaling"
          help="How the rows of similarities are scaled before anything else."
          options={['none', 'max', 'mean']}
          value={settings.rowScaling}
          onChange={(rowScaling) => change({ rowScaling })}
        />
        <Choice
          label="Similarity"
          help="The inner product of two embeddings, or their cosine."
          options={['dot', 'cosine']}
          value={settings.metric}
          onChange={(metric) => change({ metric })}
        />
      </div>
      <Share info={info} state={state} />
    </aside>
  )
}
