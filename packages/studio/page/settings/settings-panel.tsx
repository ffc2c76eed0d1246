import type { PresetName } from '@kith/core'
import { languageNames, settingTable, tokenizerNames } from '@kith/core/internal'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { StudioInfo } from '../../src/studio-wire.ts'
import { code, commandLine } from '../model/copy.ts'
import {
  changed,
  mixOf,
  type PageSettings,
  pagePresets,
  presetOf,
  tokenizerOf,
  type Use,
} from '../model/page-settings.ts'
import { addressOf, type StudioState } from '../model/state.ts'
import type { Update } from '../model/use-studio.ts'
import { Choice, LongChoice, Slider } from '../parts/controls.tsx'
import { MeanCurve } from './mean-curve.tsx'
import {
  endOf,
  firstSlider,
  methodSliders,
  positionOf,
  type SliderName,
  type SliderRule,
  scoreSliders,
  viewSliders,
  wordsSliders,
} from './sliders.ts'

/**
 * The settings of the method; each change is seen at once, and in the mean over all queries. On a
 * narrow screen they are a sheet over its lower half, so that the ranking is seen meanwhile.
 */
export function SettingsPanel(props: {
  info: StudioInfo
  state: StudioState
  update: Update
}): VNode {
  const { info, state, update } = props
  const { settings } = state
  const { texts } = info
  const use: Use = { texts, labels: state.view === 'labels' }
  const mix = mixOf(settings, use)
  const [moved, setAlong] = useState<SliderName>()
  const along = moved ?? firstSlider(settings, { texts })
  const change = (part: Partial<PageSettings>): void =>
    update((latest) => ({ settings: changed(latest.settings, part) }))
  const sliders = (rules: readonly SliderRule[]): VNode[] =>
    rules
      .filter((rule) => !rule.isIdle?.(settings, use))
      .map((rule) => (
        <Slider
          key={rule.name}
          {...rule}
          to={endOf(rule, info.depth)}
          value={Math.min(positionOf(rule.name, settings), endOf(rule, info.depth))}
          onChange={(value) => {
            setAlong(rule.name)
            change({ [rule.name]: value })
          }}
        />
      ))
  return (
    <aside id="settings" class="settings" aria-label="Settings" popover="auto">
      <button type="button" class="sheet-close" popovertarget="settings">
        Done
      </button>
      {info.judged > 0 && <MeanCurve info={info} settings={settings} along={along} />}
      <div class="group">
        <div class="preset">
          <label for="preset">Preset</label>
          <select
            id="preset"
            value={presetOf(settings) ?? ''}
            onChange={(event) => {
              const preset = pagePresets[event.currentTarget.value as PresetName]
              setAlong(undefined)
              update({ settings: { ...preset } })
            }}
          >
            <option value="" disabled>
              custom
            </option>
            {Object.keys(pagePresets).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <Choice
          label="Mix"
          help="How the parts of a score are combined. words: similarity, BM25, neighbors and support. standard: similarity and neighbors, standardized. raw: similarity and neighbors without standardization."
          options={texts && !use.labels ? ['words', 'standard', 'raw'] : ['standard', 'raw']}
          value={mix}
          onChange={(chosen) => {
            setAlong(undefined)
            change({ mix: chosen })
          }}
        />
        {mix === 'words' && (
          <Choice
            label="Term statistics from"
            help="Where Kith counts how rare a term is: in the whole corpus, or in the query’s candidates only."
            options={['corpus', 'candidates']}
            value={settings.statistics}
            onChange={(statistics) => change({ statistics })}
          />
        )}
        {tokenizerOf(settings, use) && (
          <LongChoice
            label="Tokenizer"
            help="How words become terms. english and other languages: stems without stop words; plural: words without the plural s; prefix5: the first five letters; none: words as written; code: identifiers and their parts."
            options={[...tokenizerNames, 'code', ...languageNames]}
            value={settings.tokenizer}
            onChange={(tokenizer) => change({ tokenizer })}
          />
        )}
        {texts && mix === 'raw' && <p class="note">The raw mix does not use texts.</p>}
        {texts && use.labels && <p class="note">Labels use neither BM25 nor support.</p>}
      </div>
      {mix === 'words' && <div class="group">{sliders(wordsSliders)}</div>}
      <div class="group">
        {sliders(methodSliders)}
        {texts && sliders(viewSliders)}
      </div>
      <details class="more">
        <summary>More settings</summary>
        <div class="group">
          {sliders(scoreSliders)}
          <Choice
            label="Neighbor weights"
            help="How the similarity of a neighbor becomes its weight."
            options={settingTable.weight.values!}
            value={settings.weight}
            onChange={(weight) => change({ weight })}
          />
          <Choice
            label="Row scaling"
            help="How each document’s similarities are scaled before the ranking."
            options={settingTable.rowScaling.values!}
            value={settings.rowScaling}
            onChange={(rowScaling) => change({ rowScaling })}
          />
          <Choice
            label="Metric"
            help="How two embeddings are compared: by inner product or cosine."
            options={['dot', 'cosine']}
            value={settings.metric}
            onChange={(metric) => change({ metric })}
          />
        </div>
      </details>
      <Share info={info} state={state} />
    </aside>
  )
}

/** Takes what the page shows elsewhere: as a link, a command or a program. */
function Share({ info, state }: { info: StudioInfo; state: StudioState }): VNode {
  const { files } = info
  const [said, setSaid] = useState('')
  const copy = (what: string, text: string): void => {
    navigator.clipboard.writeText(text).then(
      () => setSaid(`Copied ${what}.`),
      // A browser may forbid it; the text can still be marked and copied by hand.
      () => setSaid(text),
    )
  }
  return (
    <div class="share">
      <div class="buttons">
        {files && (
          <>
            <button
              type="button"
              onClick={() => copy('the link', new URL(addressOf(state), location.href).href)}
            >
              Copy link
            </button>
            <button
              type="button"
              onClick={() => copy('the command', commandLine(state, info, files))}
            >
              Copy command
            </button>
          </>
        )}
        <button type="button" onClick={() => copy('the code', code(state.settings, info))}>
          Copy code
        </button>
      </div>
      <p class="note" role="status">
        {said}
      </p>
    </div>
  )
}
