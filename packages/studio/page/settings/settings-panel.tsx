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
import { Choice, Slider } from '../parts/controls.tsx'
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
              your own
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
          help="words: similarity, words, neighbors and support. standard: similarity and neighbors, on one scale. raw: these two as they are."
          options={texts && !use.labels ? ['words', 'standard', 'raw'] : ['standard', 'raw']}
          value={mix}
          onChange={(chosen) => {
            setAlong(undefined)
            change({ mix: chosen })
          }}
        />
        {mix === 'words' && (
          <Choice
            label="Rare words, counted in"
            help="How rare a word is: in the whole collection, or in the query’s context alone, which needs nothing but the candidates."
            options={['collection', 'context']}
            value={settings.statistics}
            onChange={(statistics) => change({ statistics })}
          />
        )}
        {tokenizerOf(settings, use) && (
          <Choice
            label="Terms"
            help="How words become terms. english: stems without stop words; plural: without the plural’s s; prefix5: the first five letters; none: the words as they are; code: identifiers and their parts; a language: its stems without its stop words."
            options={[...tokenizerNames, 'code', ...languageNames]}
            value={settings.tokenizer}
            onChange={(tokenizer) => change({ tokenizer })}
          />
        )}
        {texts && mix === 'raw' && (
          <p class="note">A raw mix has one view: the words do not count.</p>
        )}
        {texts && use.labels && <p class="note">Labels have neither words score nor support.</p>}
      </div>
      {mix === 'words' && <div class="group">{sliders(wordsSliders)}</div>}
      <div class="group">
        {sliders(methodSliders)}
        {texts && sliders(viewSliders)}
      </div>
      <details class="more">
        <summary>More</summary>
        <div class="group">
          {sliders(scoreSliders)}
          <Choice
            label="Neighbor weights"
            help="How a neighbor's similarity becomes its weight."
            options={settingTable.weight.values!}
            value={settings.weight}
            onChange={(weight) => change({ weight })}
          />
          <Choice
            label="Row scaling"
            help="How the rows of similarities are scaled before anything else."
            options={settingTable.rowScaling.values!}
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
      () => setSaid(`Copied: ${what}.`),
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
